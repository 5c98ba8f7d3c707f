"""The negative of a loss is minimised, so the loss itself rises.

## What it sees
Backward is called on exactly the negative of what a torch loss function returned, and that loss rises from step to
step.

## When it is fine
Adversarial training maximises a loss on purpose; with more than one optimizer nothing is reported.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.facts import LossCurve
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    sightings: int = 6
    """Steps at which root and loss were both seen."""
    rise: float = 1.02
    """Mean of the later half over that of the earlier one: two per cent is above the noise of half the first steps."""


def find(curve: LossCurve, limits: Limits) -> Iterator[Evidence]:
    known = curve.negated
    if curve.optimizers != 1 or len(known) < limits.sightings:
        return
    half = len(known) // 2
    early, late = sum(known[:half]) / half, sum(known[-half:]) / half
    if not (math.isfinite(late) and late > limits.rise * early):
        return
    yield Evidence(
        where=at(curve.site, rank=curve.rank),
        saw=f"backward is called on minus the loss, which rises from {early:.4g} to {late:.4g}",
        wanted="backward on the loss itself, which then falls",
        numbers={"early": early, "late": late},
    )


CHECK = Check(
    id="FL205",
    name="loss-sign-flipped",
    summary="the negative of the loss is minimised",
    causes=("loss-sign",),
    likely="a minus sign from a log-likelihood that the loss function already contains",
    fix="remove the minus sign before the loss",
    severity=Severity.ERROR,
    confidence=0.95,
    needs=LossCurve,
    limits=Limits(),
    find=find,
)
