"""Cross-entropy over one class is always zero.

## What it sees
The prediction passed to `cross_entropy` is the output of a linear layer with one output feature: softmax over one score
is 1, the loss is 0, and nothing is learned.

## When it is fine
A layer whose width is not a literal number is not judged, nor is a prediction that was reshaped.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import LossUse


def find(use: LossUse, _limits: NoLimits) -> Found:
    value = use.prediction
    if use.function != "cross_entropy" or value.size != 1 or value.act != "none":
        return
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` gets one score per example, computed at {value.act_at}",
        wanted="one score for each class",
    )


CHECK = Check(
    id="FL705",
    summary="cross-entropy is taken over a single score, so the loss is always zero",
    causes=("loss-mismatch",),
    likely="a binary task with one output needs another loss",
    fix="use `binary_cross_entropy_with_logits`, or as many outputs as there are classes",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
