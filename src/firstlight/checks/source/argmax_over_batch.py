"""The predicted class is computed over the batch dimension.

## What it sees
`argmax` or `max` with `dim=0` of a model's output, in a loop over a loader: it returns the example with the highest
score, not the class.

## When it is fine
One example taken out of the batch has its classes in dimension 0 and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

CALLS = ("tensor.argmax", "torch.argmax", "tensor.max", "torch.max")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls(*CALLS):
            own = call.target.startswith("tensor.")
            value = call.receiver if own else call.argument(0, "input")
            dim = call.argument(0 if own else 1, "dim")
            batches = bool(call.loops) and call.loops[-1].kind == "batches"
            if (
                value is None
                or dim is None
                or dim.kind != "const"
                or dim.const != 0
                or dim.const is False
                or not batches
            ):
                continue
            if (
                value.has("output")
                and not value.has("row")
                and not value.has("flat")
                and value.act in ("none", "softmax", "log_softmax")
            ):
                yield Evidence(
                    where=call.spot.where,
                    saw="the largest score is taken over dimension 0, which is the batch",
                    wanted="the largest score over the classes: `dim=1`, or `dim=-1`",
                )


CHECK = Check(
    id="FL768",
    summary="the predicted class is taken over the batch dimension",
    causes=("train-metric",),
    likely="`dim=0` was taken for the class dimension",
    fix="use `dim=-1`",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
