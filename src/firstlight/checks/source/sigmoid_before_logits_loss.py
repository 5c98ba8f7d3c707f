"""A loss on raw scores is given probabilities; it applies the sigmoid itself.

## What it sees
The prediction of `binary_cross_entropy_with_logits` (or `multilabel_soft_margin_loss`) in training is the result of a
sigmoid or softmax, here, in a called function, or at the end of the model's `forward`.

## When it is fine
Probabilities used beside the loss are not looked at.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import LossUse

LOSSES = ("binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")
ACTIVATIONS = ("sigmoid", "softmax")


def find(use: LossUse, _limits: NoLimits) -> Iterator[Evidence]:
    value = use.prediction
    if use.function not in LOSSES or value.act not in ACTIVATIONS or value.act_at is None or not use.trains:
        return
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` is given the result of the `{value.act}` at {value.act_at}",
        wanted="raw scores: the loss applies the sigmoid itself",
        do=f"remove the `{value.act}` at {value.act_at} from what the loss is given, or use `BCELoss`",
    )


CHECK = Check(
    id="FL702",
    name="sigmoid-before-logits-loss",
    summary="a loss with a built-in sigmoid is given probabilities",
    causes=("loss-double-activation",),
    likely="the model ends in a sigmoid and the loss applies another",
    fix="give the loss the output of the last linear layer",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
    at_work="loss-double-activation",
)
