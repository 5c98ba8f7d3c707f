"""Binary cross-entropy is given raw scores where it takes probabilities.

## What it sees
The prediction of `binary_cross_entropy` / `BCELoss` is the raw output of a linear layer or follows an activation
whose values leave 0…1. It crashes, or with clamping hides the mistake.

## When it is fine
What comes out of code that cannot be followed is not judged, nor is a value that was clamped.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import LossUse

OUTSIDE = {
    "none": "raw scores",
    "relu": "values after a ReLU",
    "tanh": "values after a tanh",
    "log_softmax": "log-probabilities",
}


def find(use: LossUse, _limits: NoLimits) -> Iterator[Evidence]:
    value = use.prediction
    if use.function != "binary_cross_entropy" or value.act not in OUTSIDE or not use.trains or value.has("floored"):
        return
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` is given {OUTSIDE[value.act]}, made at {value.act_at or use.call.spot}",
        wanted="probabilities between 0 and 1",
    )


CHECK = Check(
    id="FL704",
    name="scores-into-bce-loss",
    summary="binary cross-entropy is given raw scores",
    causes=("loss-missing-activation",),
    likely="the sigmoid at the end of the model was forgotten",
    fix="use `binary_cross_entropy_with_logits`, which is also the more exact of the two",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
    at_work="loss-missing-activation",
)
