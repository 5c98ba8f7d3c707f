"""The loss falls without end, far below zero.

## What it sees
The minimized value is negative, many thousand times its first size, and keeps growing: there is no best value to reach,
so the model is driven to extremes.

## When it is fine
Log-densities of continuous data are negative and settle. Adversarial training with an unconstrained critic drifts; it
has a second optimizer, and then nothing is reported.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossCurve


class Limits(Settable):
    steps: int = 30
    """Fewest steps; in fewer, the fall may be a single jump."""
    times: float = 1e4
    """How far the loss must fall below zero, in multiples of its first size (at least 1)."""
    growing: float = 2.0
    """Smallest ratio of the last value to the one half-way; a loss that settles stays below."""


def find(curve: LossCurve, limits: Limits) -> Found:
    values = [value for value in curve.values if math.isfinite(value)]
    if curve.optimizers > 1 or len(values) < limits.steps:
        return
    first, half, last = values[0], values[len(values) // 2], values[-1]
    if last > -limits.times * max(1.0, abs(first)) or last > limits.growing * half:
        return
    yield Evidence(
        where=at(curve.site, step=len(values), rank=curve.rank),
        saw=f"the loss went from {first:.4g} through {half:.4g} to {last:.4g} in {len(values)} steps",
        wanted="a loss with a lower bound",
        numbers={"first": first, "last": last},
    )


CHECK = Check(
    id="FL214",
    summary="the loss falls without end",
    causes=("loss-sign",),
    likely="a term of the loss has the wrong sign, so that making it worse is rewarded",
    fix="print the terms of the loss one by one, and flip the sign of the one that runs away",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
    repairs=(),
)
