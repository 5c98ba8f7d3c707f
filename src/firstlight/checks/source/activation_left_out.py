"""A loss that expects probabilities, or their logarithms, gets something else.

## What it sees
The prediction passed to `nll_loss` is the raw output of a linear or convolution layer, or plain probabilities: the loss
has no lower bound, or lacks the logarithm, and falls without the model learning. The one passed to
`binary_cross_entropy` is a raw output or follows an activation whose values leave 0…1: the call crashes, or clamping
hides the mistake.

## When it is fine
Output of code that cannot be followed is not judged, nor is a value that was clamped.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import LossUse

WANTED = {
    "nll_loss": "log-probabilities, as returned by `log_softmax`",
    "binary_cross_entropy": "probabilities between 0 and 1",
}
OUTSIDE = {"none": "raw scores", "relu": "values after a ReLU", "tanh": "values after a tanh"}
GIVEN = {
    "nll_loss": {**OUTSIDE, "softmax": "probabilities", "sigmoid": "probabilities"},
    "binary_cross_entropy": {**OUTSIDE, "log_softmax": "log-probabilities"},
}


def find(use: LossUse, _limits: NoLimits) -> Found:
    value = use.prediction
    given = GIVEN.get(use.function, {}).get(value.act)
    clamped = use.function == "binary_cross_entropy" and value.has("floored")
    if given is None or not use.trains or clamped:
        return
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` gets {given}, computed at {value.act_at or use.call.spot}",
        wanted=WANTED[use.function],
    )


CHECK = Check(
    id="FL794",
    summary="a loss that expects probabilities or their logarithms gets something else",
    causes=("loss-missing-activation",),
    likely="a loss that takes raw scores was meant, or the last activation of the model was forgotten",
    fix="use `cross_entropy` or `binary_cross_entropy_with_logits`, which take raw scores and are more accurate",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
    at_work="loss-missing-activation",
    since="0.2",
)
