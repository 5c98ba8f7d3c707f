"""Accumulated gradients are summed where they should be averaged, or divided by the number of batches twice.

## What it sees
Before nearly every step of plain gradient descent, one line calls `backward` the same number of times, each time on
the mean loss of a different batch. Either neither the losses nor the gradients are divided by that number, and the step
is that many times larger than for one large batch; or each loss is divided by its square, for example because a library
already divides it, and the step is that many times smaller.

## When it is fine
The learning rate was chosen for the sum, or the losses belong to several tasks and are meant to add up. Optimizers
that do not depend on the scale of the gradients (such as Adam) and clipped gradients are not reported.
"""

import math
from statistics import mode

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Accumulation

SCALES_WITH_GRADIENT = ("SGD", "ASGD")


class Limits(Settable):
    steps: int = 5
    """Fewest steps at which the accumulated gradients were seen and nothing had clipped or divided them."""
    same_share: float = 0.8
    """Share of the steps that must have the same number of backwards; the last step of an epoch may have fewer."""
    alike: float = 0.01
    """Largest relative difference, due to rounding, between the factor on a loss and the number it is taken for."""


def find(seen: Accumulation, limits: Limits) -> Found:
    if seen.optimizer not in SCALES_WITH_GRADIENT or seen.closure or seen.reworked or seen.loaders > 1:
        return
    if seen.averages is None or not (seen.separate and seen.backwards) or seen.untouched < limits.steps:
        return
    times = mode(seen.backwards)
    if times == 1 or seen.backwards.count(times) < limits.same_share * len(seen.backwards):
        return
    if math.isclose(seen.averages, 1.0, rel_tol=limits.alike):
        how, large, do = "as it is", "large", f"divide the loss by {times} before `backward()`"
    elif math.isclose(seen.averages * times**2, 1.0, rel_tol=limits.alike):
        how, large = f"divided by {times**2}", "small"
        do = f"divide the loss by {times} once: the library or another line already does it"
    else:
        return
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"{times} backwards before each step, each on a mean loss {how}: the gradient is {times} times as {large}",
        wanted="the mean over all examples of a step",
        do=do,
        numbers={"backwards": times, "steps": len(seen.backwards)},
    )


CHECK = Check(
    id="FL309",
    summary="accumulated gradients are summed, or divided twice, instead of averaged",
    causes=("train-accumulation",),
    likely="the loss is not divided by the number of accumulated batches, or is divided by it twice",
    fix="divide the loss once, before `backward()`, by the number of accumulated batches",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
