"""Every step changes the weights by less than a millionth of their size.

## What it sees
At looks spread over the first few hundred steps, the check measures how far the optimizer moves each weight matrix in
one step, relative to its size. At none of them does the median matrix reach the limit, although its gradient is not
small or the optimizer divides by its size. So the learning rate itself is too small: it is set that way, or an endless
warm-up keeps it there. The loss may be of any kind.

## When it is fine
At the end of a decay small steps are right, so the steps must be this small at every look, from the first steps on.
Gradients that are themselves close to zero are another problem and are not reported here.
"""

import math
import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Movement


class Limits(Settable):
    looks: int = 3
    """Fewest looks; the third comes after some thirty steps, when most warm-ups are well under way."""
    pace: float = 1e-6
    """Smallest ratio of an update's norm to that of the weight; healthy medians lie between 2e-4 and 0.1."""
    gradient: float = 1e-3
    """Ratio of gradient to weight that must be exceeded: a usual rate then moves it. Not required for Adam."""
    fell: float = 0.1
    """Largest relative drop of the loss; a program whose loss fell further moves enough."""
    rises: float = 2.0
    """Ratio of the last rate looked at to the first above which a warm-up is under way."""


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
        likely="the warm-up is far longer than the run, so the rate rises too slowly to matter" if rises else None,
        do="count the warm-up in the steps the run actually makes, and use a few per cent of them" if rises else None,
        numbers={"pace": fastest, "looks": len(looks), "lr": rate},
    )


def _creeps(look: Movement, limits: Limits) -> bool:
    """Whether the step is too small because of the rate, not because of the gradient."""
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
    likely="the learning rate is too low by orders of magnitude, as set or because something lowers it",
    fix="raise the learning rate tenfold at a time, until a step changes weights by about a thousandth of their size",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
