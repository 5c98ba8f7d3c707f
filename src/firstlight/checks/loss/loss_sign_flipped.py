"""The minimized loss pushes predictions away from their targets.

## What it sees
At a few backwards the loss is computed twice more, from the place where predictions meet targets: once with predictions
moved a little towards the targets, and once with predictions moved as far away from them. The predictions moved away
have the lower loss at every look, whoever wrote the loss and wherever its sign was flipped. In a policy gradient,
likelihoods that follow the returns take the place of predictions. An optimizer with `maximize=True` lowers the negative
of what `backward` was called on, and that is what is looked at.

## When it is fine
Adversarial training maximizes a loss on purpose; with more than one optimizer nothing is reported, nor where the
optimizer goes uphill. A policy gradient that weights likelihoods with costs instead of rewards rightly pulls the other
way, and so may one of several terms: these are warnings.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Pulling
from firstlight.records.taped import LIKELIHOODS


class Limits(Settable):
    looks: int = 2
    """Fewest looks, at all of which it pushes away; a single batch may be unusual."""


def find(pulling: Pulling, limits: Limits) -> Found:
    if pulling.optimizers != 1 or pulling.climbs or pulling.looks < limits.looks or pulling.away < pulling.looks:
        return
    weighted = pulling.kind == LIKELIHOODS
    what = ("likelihoods", "returns") if weighted else ("predictions", "targets")
    unsure = weighted or pulling.towards > 0
    yield Evidence(
        where=at(pulling.meeting.site, step=pulling.step, rank=pulling.rank),
        saw=f"{what[0]} that follow their {what[1]} have a loss of {pulling.right:.6g}, and contrary ones "
        f"{pulling.contrary:.6g}, at all of {pulling.looks} looks",
        wanted=f"the lower loss for {what[0]} that follow their {what[1]}",
        severity=Severity.WARNING if unsure else None,
        confidence=0.6 if unsure else None,
        numbers={"right": pulling.right, "contrary": pulling.contrary},
    )


CHECK = Check(
    id="FL205",
    summary="the minimized loss pushes predictions away from their targets",
    causes=("loss-sign",),
    likely="a minus sign too many, or one too few, between the comparison with the targets and the backward, or "
    "`maximize=True`",
    fix="flip the sign of the loss",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
