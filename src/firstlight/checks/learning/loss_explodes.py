"""The loss grows many times over, and the weights with it.

## What it sees
The loss has grown to many times its first values, the weights have grown with it, and it has not come back.

## When it is fine
Reinforcement learning and adversarial losses wander, and a curriculum or the warm-up of a term makes the loss a few
times larger; the weights do not grow with them.
"""

import math
from statistics import median

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossCurve


class Limits(Settable):
    values: int = 10
    """Fewest loss values; fewer do not make a trend."""
    window: int = 5
    """Number of values at each end whose medians are compared."""
    growth: float = 20.0
    """Smallest ratio of the last values to the first; KL warm-ups and task switches stay below three."""
    weight_growth: float = 2.0
    """Smallest ratio of the last weight norm to the first; in a stable run it grows by a few percent."""


def find(curve: LossCurve, limits: Limits) -> Found:
    if len(curve.values) < limits.values or not all(map(math.isfinite, curve.values)):
        return
    first = median(abs(value) for value in curve.values[: limits.window])
    last = median(abs(value) for value in curve.values[-limits.window :])
    weights = curve.weight_norms
    if first == 0 or last < limits.growth * first:
        return
    if not weights or not weights[-1] >= limits.weight_growth * weights[0]:
        return
    yield Evidence(
        where=at(curve.lr_site or curve.site, rank=curve.rank),
        saw=f"the loss went from {first:.3g} to {last:.3g} and the weights' norm "
        f"from {weights[0]:.3g} to {weights[-1]:.3g}" + (f" at learning rate {curve.lr:g}" if curve.lr else ""),
        wanted="a loss that falls, or stays of the same order of magnitude",
        numbers={"first": first, "last": last},
    )


CHECK = Check(
    id="FL501",
    summary="the loss and the weights grow out of control",
    causes=("hp-lr-high",),
    likely="the learning rate is too high",
    fix="divide the learning rate by 10 and check again; if it still diverges, look at the gradients before clipping",
    severity=Severity.ERROR,
    confidence=0.8,
    find=find,
    symptom=True,
)
