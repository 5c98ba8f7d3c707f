"""The model's last activation cannot reach the targets.

## What it sees
The loss of a batch is minimized twice, whatever loss it is: once over free outputs of the last activation, and once
over free inputs to it. The first gets low and the second does not, so no weights before that activation could do
better. Examples are a ReLU before negative targets, a sigmoid before targets beyond 1, and a softmax before a loss that
applies its own, by name or written out. If the loss stays high because probabilities go through a softmax or sigmoid a
second time, the check names that as the cause.

## When it is fine
Targets within the range, with a rare outlier beyond it, are not reported; neither is a loss without a lower bound,
about which nothing can be said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import ReachSeen

TWICE = ("cross_entropy", "log_softmax", "softmax", "binary_cross_entropy_with_logits", "sigmoid", "logsigmoid")


class Limits(Settable):
    share: float = 1 / 3
    """Smallest share, of what the loss could fall with free outputs, that the activation keeps out of reach: a ReLU
    before centered targets keeps half, a tanh before standardized ones less than a tenth."""
    looks: int = 2
    """Fewest looks; a single batch may be unusual."""
    sunk: float = 0.01
    """Largest share of the loss by which free outputs may bring it below zero. Beyond that, the loss was never meant
    for such outputs (negative probabilities in an overlap), and nothing is reported."""


def find(reach: ReachSeen, limits: Limits) -> Found:
    could, does = reach.loss - reach.free, reach.bound - reach.free
    if reach.looks < limits.looks or not reach.free >= -limits.sunk * reach.loss:
        return
    if not could > 0 or not does >= limits.share * could:
        return
    twice = reach.operation in TWICE and (reach.into in TWICE or reach.probable)
    yield Evidence(
        where=at(reach.site or reach.meeting, step=reach.step, rank=reach.rank),
        saw=f"behind `{reach.operation}` the loss of a batch, {reach.loss:.4g}, cannot get below "
        f"{reach.bound:.4g}, whatever the network computes; without it, {reach.free:.4g} is within reach",
        wanted="an output that can take every value of the targets",
        cause="loss-double-activation" if twice else "arch-output",
        do=f"remove the last `{reach.operation}` of the network, or scale the targets into its range",
        numbers={"loss": reach.loss, "bound": reach.bound, "free": reach.free},
    )


CHECK = Check(
    id="FL211",
    summary="the last activation of the model cannot reach the targets",
    causes=("arch-output", "loss-double-activation"),
    likely="an activation is left on the output layer of a regression, or the loss applies it again",
    fix="remove the activation from the last layer, or scale the targets into its range",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
