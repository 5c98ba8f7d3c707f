"""Inside the model, two tensors with different numbers of axes are broadcast against each other over the batch.

## What it sees
In one forward pass, an elementwise operation expands both of its sides, their numbers of axes differ, and the result
pairs every example with every other. The whole trace of shapes is kept with the run.

## When it is fine
Models that compare the examples of a batch on purpose; they usually show it by `unsqueeze` on both sides, which is not
reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import ShapeTrace


def find(trace: ShapeTrace, _limits: NoLimits) -> Found:
    for stretch in trace.stretches:
        if stretch.over_batch:
            yield Evidence(
                where=at(stretch.site or trace.site, module=stretch.module or None, rank=trace.rank),
                saw=f"`{stretch.operation}` of {stretch.left} and {stretch.right} gives {stretch.result}",
                wanted="two tensors of the same shape, or one that is broadcast along axes it does not have",
            )


CHECK = Check(
    id="FL443",
    summary="inside the model every example is paired with every other by broadcasting",
    causes=("loss-broadcast", "arch-batch-mixing"),
    likely="an axis was lost through `squeeze`, `sum` or indexing: (N,) meets (N, 1)",
    fix="keep the axis with `keepdim=True`, or use `unsqueeze(-1)` on the flat side",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
