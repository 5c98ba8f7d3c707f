"""The negative log-likelihood loss is given something other than log-probabilities.

## What it sees
The prediction of `nll_loss` is the raw output of a linear or convolution layer, or plain probabilities. The loss then
has no lower bound, or no logarithm: it falls without the model learning.

## When it is fine
What comes out of code that cannot be followed is not judged.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import LossUse

NOT_LOG_PROBABILITIES = {
    "none": "raw scores",
    "relu": "scores after a ReLU",
    "tanh": "scores after a tanh",
    "softmax": "probabilities",
    "sigmoid": "probabilities",
}


def find(use: LossUse, _limits: NoLimits) -> Iterator[Evidence]:
    value = use.prediction
    if use.function != "nll_loss" or value.act not in NOT_LOG_PROBABILITIES or not use.trains:
        return
    given = NOT_LOG_PROBABILITIES[value.act]
    yield Evidence(
        where=use.call.spot.where,
        saw=f"`{use.shown}` is given {given}, made at {value.act_at or use.call.spot}",
        wanted="log-probabilities, as `log_softmax` gives them",
    )


CHECK = Check(
    id="FL703",
    name="scores-into-nll-loss",
    summary="`nll_loss` is given something other than log-probabilities",
    causes=("loss-missing-activation",),
    likely="`NLLLoss` was meant to be `CrossEntropyLoss`, or the `log_softmax` was forgotten",
    fix="use `cross_entropy`, or apply `log_softmax(…, dim=1)` first",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
    at_work="loss-missing-activation",
)
