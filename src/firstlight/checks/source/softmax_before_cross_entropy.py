"""Cross-entropy is given probabilities; it applies softmax itself.

## What it sees
The prediction of a `cross_entropy` in training is the result of a softmax or a sigmoid, in the same function, in a
called one, or at the end of the model's `forward`. The loss cannot fall below ln(1 + (C-1)/e), and gradients are
small.

## When it is fine
Probabilities used beside the loss, for a metric, are not looked at. A log-softmax before cross-entropy is redundant
and changes nothing.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import LossUse

ACTIVATIONS = ("softmax", "sigmoid")


def find(use: LossUse, _limits: NoLimits) -> Iterator[Evidence]:
    value = use.prediction
    if use.function != "cross_entropy" or value.act not in ACTIVATIONS or value.act_at is None or not use.trains:
        return
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` is given the result of the `{value.act}` at {value.act_at}",
        wanted="raw scores: the loss applies log-softmax itself",
        do=f"take that `{value.act}` off the way to the loss; keep it where probabilities are shown",
    )


CHECK = Check(
    id="FL701",
    name="softmax-before-cross-entropy",
    summary="cross-entropy is given probabilities instead of raw scores",
    causes=("loss-double-activation",),
    likely="the model ends in a softmax and the loss applies another",
    fix="give the loss the output of the last linear layer",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
    at_work="loss-double-activation",
)
