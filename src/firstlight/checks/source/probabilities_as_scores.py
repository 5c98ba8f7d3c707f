"""A loss that applies softmax or sigmoid itself gets probabilities.

## What it sees
The prediction passed to `cross_entropy`, `binary_cross_entropy_with_logits` or `multilabel_soft_margin_loss` in
training is the result of a softmax or a sigmoid: in the same function, in a called one, or at the end of the model's
`forward`. A cross-entropy then cannot fall below ln(1 + (C-1)/e), and gradients are small.

## When it is fine
Probabilities used outside the loss, for a metric, are not checked. A log-softmax before cross-entropy is redundant and
changes nothing.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import LossUse

APPLIES = {
    "cross_entropy": "log-softmax",
    "binary_cross_entropy_with_logits": "the sigmoid",
    "multilabel_soft_margin_loss": "the sigmoid",
}
ACTIVATIONS = ("softmax", "sigmoid")


def find(use: LossUse, _limits: NoLimits) -> Found:
    value = use.prediction
    if use.function not in APPLIES or value.act not in ACTIVATIONS or value.act_at is None or not use.trains:
        return
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` gets the result of the `{value.act}` at {value.act_at}",
        wanted=f"raw scores: the loss applies {APPLIES[use.function]} itself",
        do=f"remove that `{value.act}` before the loss; keep it only where probabilities are needed",
    )


CHECK = Check(
    id="FL793",
    summary="a loss that applies softmax or sigmoid itself gets probabilities",
    causes=("loss-double-activation",),
    likely="the model ends in a softmax or sigmoid and the loss applies another",
    fix="pass the output of the last linear layer to the loss",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
    at_work="loss-double-activation",
    since="0.2",
)
