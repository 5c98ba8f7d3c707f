"""Inside the model two tensors of different ranks are stretched against each other over the batch.

## What it sees
Every elementwise operation of one forward pass: both sides were stretched, their numbers of axes differ, and the result
pairs every example with every other. The whole trace of shapes is kept with the run.

## When it is fine
Models that compare the examples of a batch on purpose; they usually say so with `unsqueeze` on both sides, which is
not told.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import ShapeTrace


def find(trace: ShapeTrace, _limits: NoLimits) -> Found:
    for stretch in trace.stretches:
        if stretch.over_batch:
            yield Evidence(
                where=at(stretch.site or trace.site, module=stretch.module or None, rank=trace.rank),
                saw=f"`{stretch.operation}` of {stretch.left} and {stretch.right} gives {stretch.result}",
                wanted="two tensors of the same shape, or one stretched along axes it does not have",
            )


CHECK = Check(
    id="FL443",
    summary="inside the model every example is paired with every other by broadcasting",
    causes=("loss-broadcast", "arch-batch-mixing"),
    likely="an axis was lost by `squeeze`, `sum` or indexing: (N,) meets (N, 1)",
    fix="keep the axis: `keepdim=True`, or `unsqueeze(-1)` on the flat side",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
