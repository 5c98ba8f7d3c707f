"""Gradients of several batches are summed although each loss is an average, or are divided by their number twice.

## What it sees
Before nearly every step of plain gradient descent one line calls `backward` the same number of times, each on the
average over a batch of its own, and neither the losses nor the gradients are divided by that number: the step is so
many times larger than that of one large batch. Or each loss is divided by the square of that number, as where a
library divides it already: the step is so many times smaller.

## When it is fine
A learning rate chosen for the sum, or losses of several tasks that are meant to add up. Optimizers that are
indifferent to the scale of gradients (Adam and its kin) and clipped gradients are not reported.
"""

import math
from statistics import mode

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Accumulation

SCALES_WITH_GRADIENT = ("SGD", "ASGD")


class Limits(Settable):
    steps: int = 5
    """Seen with several backwards and gradients left alone."""
    same_share: float = 0.8
    """Of the steps, with the same number of backwards; the last of an epoch may have fewer."""
    alike: float = 0.01
    """Share by which what a loss was multiplied by may differ from a number, to be that number after rounding."""


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
        do = f"divide the loss by {times} once: the library or another line does it already"
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
    summary="accumulated gradients are summed or divided twice, not averaged",
    causes=("train-accumulation",),
    likely="the loss is divided by the number of batches accumulated not at all, or once too often",
    fix="divide the loss by the number of batches accumulated before `backward()`, once",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
