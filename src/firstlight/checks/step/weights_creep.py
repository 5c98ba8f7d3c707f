"""Every step changes the weights by less than a millionth of their size.

## What it sees
How far the optimizer moves each weight matrix in a step, over its size, at looks spread over the first hundreds of
steps. At none of them does the median matrix move by as much as the limit, although its gradient is not small, or the
optimizer divides by its size: so it is the learning rate that is small, as it is set, or as a warm-up without end
leaves it. The loss need not be of any known kind.

## When it is fine
At the end of a decay small steps are right; every look from the first steps on must be this small. Gradients that are
themselves next to nothing are another illness and are not told here.
"""

import math
import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Movement


class Limits(Settable):
    looks: int = 3
    """The third is made after some thirty steps: most warm-ups are well under way then."""
    pace: float = 1e-6
    """Length of an update over that of the weight; healthy medians lie between 2e-4 and 0.1."""
    gradient: float = 1e-3
    """Over the weight: with such a gradient a usual rate moves it. Not asked of Adam and its like."""
    fell: float = 0.1
    """Share of its first value that the loss has lost, at the most: a program that learns moves enough."""
    rises: float = 2.0
    """Last rate over the first that was looked at, above which a warm-up is under way."""


def find(motion: Motion, limits: Limits) -> Found:
    looks = [look for look in motion.looks if look.pace is not None]
    learns = motion.fell is not None and not motion.fell <= limits.fell
    if learns or len(looks) < limits.looks or not all(_creeps(look, limits) for look in looks):
        return
    fastest = max(look.pace or 0.0 for look in looks)
    rate = looks[-1].settings.get("lr")
    rises = (rate or 0.0) > limits.rises * looks[0].settings.get("lr", math.inf)
    yield Evidence(
        where=at(motion.site, step=looks[-1].step, rank=motion.rank),
        saw=f"at {len(looks)} of {len(looks)} looks, up to step {looks[-1].step}, a step of {motion.optimizer}"
        f"{f' at learning rate {rate:g}' if rate else ''} changes a weight matrix by at most {fastest:.1e} of its size",
        wanted=f"at least {limits.pace:.0e}; between 2e-04 and 0.1 is usual",
        cause="train-schedule" if rises else None,
        likely="a warm-up far longer than the run: the rate rises too slowly to get anywhere" if rises else None,
        do="count the warm-up in the steps that the run really makes, and take a few per cent of them"
        if rises
        else None,
        numbers={"pace": fastest, "looks": len(looks), "lr": rate},
    )


def _creeps(look: Movement, limits: Limits) -> bool:
    """The rate explains it: what it makes of such a gradient is that small, or is lost in the last digits."""
    rate, pushed = look.settings.get("lr", 0.0), statistics.median(one.gradient / one.weight for one in look.matrices)
    if look.pace is None or not (look.pace < limits.pace and rate > 0):
        return False
    if "beta2" in look.settings:  # Adam and its like move by the rate, whatever the gradient
        return pushed > 0 and rate < limits.pace * statistics.median(one.weight for one in look.matrices)
    return pushed > limits.gradient


CHECK = Check(
    id="FL327",
    summary="steps change the weights by less than a millionth of their size",
    causes=("hp-lr-low", "train-schedule"),
    likely="the learning rate is too low by orders of magnitude, where it is set or where something lowers it",
    fix="raise the learning rate by tens until a step changes the weights by about a thousandth of their size",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
