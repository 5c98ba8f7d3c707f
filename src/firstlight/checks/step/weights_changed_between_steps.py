"""Something other than the optimizer changes the weights between its steps.

## What it sees
After a step and before the next one the weights are not what the step left: several times they have become others, or
what they were at first, while the optimizer goes on with what it knows of the old ones; at most steps they are moved by
much more than the step itself; or they are rounded to a number format so coarse that most of the step is lost.

## When it is fine
Clipping, constraints and averages move weights by about as much as a step does, or leave their direction as it was.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Handling
from firstlight.records.inner import Touched


class Limits(Settable):
    steps: int = 8
    """Fewer may be a beginning that is still being set up."""
    jumps: int = 2
    """Once may be a restart that was meant."""
    likeness: float = 0.5
    """Cosine with what they were, below which weights are others; averages and recent copies stay above 0.9."""
    share: float = 0.5
    """Of the steps between which they are moved."""
    change: float = 0.01
    """Over their size."""
    times_own: float = 3.0
    """As far as the step itself moves them."""
    shrunk: float = 0.999
    """Cosine above which they have only become smaller: then each step works against it, and moves them as far."""
    shrinking: float = 0.5
    """Part of the change that is a change of size, from which on it is called one."""
    undone: float = 0.5
    """Share of the elements moved by a step that rounding puts back where they had been."""


def find(handling: Handling, limits: Limits) -> Found:
    if handling.steps < limits.steps or not handling.touches:
        return
    jumps = [one for one in handling.touches if one.likeness < limits.likeness or handling.restored]
    if len(jumps) >= limits.jumps:
        yield _jumped(handling, jumps)
    elif len(handling.touches) < limits.share * handling.touches[-1].step:  # later ones may not have been told
        return
    elif handling.undone >= limits.undone:
        yield _rounded(handling)
    elif _overruled(handling, limits):
        yield _moved(handling, limits)


def _overruled(handling: Handling, limits: Limits) -> bool:
    change = handling.median("change")
    shrunk = handling.median("ratio") < 1 and handling.median("likeness") > limits.shrunk
    return change >= limits.change and (shrunk or change > limits.times_own * handling.median("own"))


def _jumped(handling: Handling, jumps: list[Touched]) -> Evidence:
    first, again = jumps[0], "again what they were before the first step"
    return Evidence(
        where=at(handling.site, module=first.tensor, step=first.step, rank=handling.rank),
        saw=f"{len(jumps)} times in {handling.steps} steps, first before step {first.step}, weights such as "
        f"`{first.tensor}` became {again if first.restored else 'others'} between two steps of {handling.optimizer} "
        f"(cosine {first.likeness:.2f})",
        wanted="weights that only the optimizer changes",
        likely="the weights are initialised again, or an old state is loaded, inside the training loop",
        do="do that once, before the loop and before the optimizer is made",
        numbers={"jumps": len(jumps), "likeness": first.likeness},
    )


def _rounded(handling: Handling) -> Evidence:
    first, undone = next(one for one in handling.touches if one.format), handling.undone
    return Evidence(
        where=at(handling.site, module=first.tensor, rank=handling.rank),
        saw=f"after a step of {handling.optimizer} the weights are rounded to {first.format}, and {undone:.0%} of the "
        "elements that it had moved are back where they had been",
        wanted="weights that keep what a step adds to them",
        cause="num-precision",
        likely="weights are kept in a format whose digits are coarser than a step",
        do="keep the weights in float32, and round a copy of them where fewer bits are wanted",
        numbers={"undone": undone, "format": first.format},
    )


def _moved(handling: Handling, limits: Limits) -> Evidence:
    change, own, ratio = map(handling.median, ("change", "own", "ratio"))
    shrunk, last = 1 - ratio >= limits.shrinking * change, handling.touches[-1].step
    how = f"shrunk to {ratio:.3g} of their size" if shrunk else f"moved by {change:.2g} of their size"
    return Evidence(
        where=at(handling.site, module=handling.touches[0].tensor, rank=handling.rank),
        saw=f"between {len(handling.touches)} of {last} steps the weights are {how}, where a step of "
        f"{handling.optimizer} itself moves them by {own:.2g}",
        wanted="weights that only the optimizer changes",
        cause="hp-regularisation" if shrunk else None,
        likely="a decay or a reset of the weights by hand, after the step" if shrunk else None,
        do="remove it, or leave decay to the optimizer's `weight_decay`" if shrunk else None,
        numbers={"change": change, "own": own, "ratio": ratio},
    )


CHECK = Check(
    id="FL318",
    summary="something other than the optimizer changes the weights",
    causes=("train-reinit", "hp-regularisation", "num-precision"),
    likely="weights are written by hand inside the training loop",
    fix="find what writes to the weights between two steps, and remove it",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
