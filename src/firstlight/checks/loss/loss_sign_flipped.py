"""What is minimised pulls predictions away from their answers.

## What it sees
At a few backwards the loss is computed twice again, from the place where predictions meet answers on: with predictions
that follow the answers a little, and with others that go against them as far. The contrary ones have the lower loss at
every look, whoever wrote the loss and wherever its sign was turned. In a policy gradient, likelihoods that follow the
returns take the place of predictions.

## When it is fine
Adversarial training maximises a loss on purpose; with more than one optimizer nothing is reported, nor where the
optimizer goes uphill. A policy gradient that weights likelihoods with costs instead of rewards pulls the other way by
right, and so may one of several terms: these are warnings.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Pulling
from firstlight.records.taped import LIKELIHOODS


class Limits(Settable):
    looks: int = 2
    """At all of which it pulls away; a single batch may be odd."""


def find(pulling: Pulling, limits: Limits) -> Found:
    if pulling.optimizers != 1 or pulling.climbs or pulling.looks < limits.looks or pulling.away < pulling.looks:
        return
    weighted = pulling.kind == LIKELIHOODS
    what = ("likelihoods", "returns") if weighted else ("predictions", "answers")
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
    summary="what is minimised pulls predictions away from their answers",
    causes=("loss-sign",),
    likely="a minus sign too many, or one too few, between the comparison with the answers and the backward",
    fix="turn the sign of the loss",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
