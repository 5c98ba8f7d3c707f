"""The model's last activation cannot reach the targets.

## What it sees
The loss of a batch is minimised twice, whatever loss it is: over free outputs of the last activation, and over free
inputs to it. The first gets down and the second stays up: no weights in front of that activation could do better. A
ReLU before negative targets, a sigmoid before targets beyond 1, a softmax before a loss that applies its own, by name
or written out. Where probabilities could equal the answers and still do not get the loss down, it makes them once more.

## When it is fine
Targets that stay within the range, with a rare outlier beyond it, are not reported; neither is a loss without a lower
end, for which nothing can be said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import ReachSeen

TWICE = ("cross_entropy", "log_softmax", "softmax", "binary_cross_entropy_with_logits", "sigmoid", "logsigmoid")


class Limits(Settable):
    share: float = 1 / 3
    """Of what the loss could lose if the network could give any output, that the activation must keep out of reach: a
    ReLU before centred targets keeps half, a tanh before standardised ones less than a tenth."""
    looks: int = 2
    """A single batch may be odd."""
    sunk: float = 0.01
    """Share of the loss by which free outputs may bring it below zero. Beyond, they are outputs that the loss was never
    meant for (negative probabilities in an overlap), and nothing is said."""


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
        f"{reach.bound:.4g}, whatever the network gives; without it, {reach.free:.4g} is in reach",
        wanted="an output that can take every value of the targets",
        cause="loss-double-activation" if twice else "arch-output",
        do=f"remove the last `{reach.operation}` of the network, or scale the targets into its range",
        numbers={"loss": reach.loss, "bound": reach.bound, "free": reach.free},
    )


CHECK = Check(
    id="FL211",
    summary="the last activation of the model cannot reach the targets",
    causes=("arch-output", "loss-double-activation"),
    likely="an activation left on the output layer of a regression, or applied again by the loss",
    fix="remove the activation from the last layer, or scale the targets into its range",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
