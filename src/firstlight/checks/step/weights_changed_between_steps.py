"""Something other than the optimizer changes the weights between its steps.

## What it sees
Before the next step, the weights are no longer what the last step left. Several times they were replaced by others, or
by their initial values, while the optimizer keeps its state for the old ones; or at most steps they are moved much
further than the step itself moves them; or they are rounded to a number format so coarse that most of the step is lost.

## When it is fine
Clipping, constraints and averages move weights about as far as a step does, or leave their direction unchanged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Handling
from firstlight.records.inner import Touched


class Limits(Settable):
    steps: int = 8
    """Fewest steps; in fewer, the program may still be setting up."""
    jumps: int = 2
    """Fewest times that the weights were replaced; a single one may be an intended restart."""
    likeness: float = 0.5
    """Cosine with the old weights below which they were replaced; averages and recent copies stay above 0.9."""
    share: float = 0.5
    """Smallest share of the steps after which the weights are moved."""
    change: float = 0.01
    """Smallest median change that is reported, relative to the size of the weights."""
    times_own: float = 3.0
    """Ratio of the change to that of the step itself that must be exceeded."""
    shrunk: float = 0.999
    """Cosine above which weights have only shrunk. The ratio does not count then: each step moves them back as far."""
    shrinking: float = 0.5
    """Smallest fraction of the change that is due to shrinking for the report to call it that."""
    bounded: float = 0.5
    """Share of the elements held at a limit from which on weights are clipped instead: `weights-clipped` (FL351)."""
    undone: float = 0.5
    """Smallest share of the elements moved by a step that rounding puts back where they were."""


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
    change, free = handling.median("change"), handling.median("bounded") < limits.bounded
    shrunk = free and handling.median("ratio") < 1 and handling.median("likeness") > limits.shrunk
    return change >= limits.change and (shrunk or change > limits.times_own * handling.median("own"))


def _jumped(handling: Handling, jumps: list[Touched]) -> Evidence:
    first, again = jumps[0], "once more what they were before the first step"
    return Evidence(
        where=at(handling.site, module=first.tensor, step=first.step, rank=handling.rank),
        saw=f"{len(jumps)} times in {handling.steps} steps, first before step {first.step}, weights such as "
        f"`{first.tensor}` became {again if first.restored else 'others'} between two steps of {handling.optimizer} "
        f"(cosine {first.likeness:.2f})",
        wanted="weights that only the optimizer changes",
        likely="the weights are re-initialised, or an old state is loaded, inside the training loop",
        do="do that once, before the loop and before the optimizer is built",
        numbers={"jumps": len(jumps), "likeness": first.likeness},
    )


def _rounded(handling: Handling) -> Evidence:
    first, undone = next(one for one in handling.touches if one.format), handling.undone
    return Evidence(
        where=at(handling.site, module=first.tensor, rank=handling.rank),
        saw=f"after a step of {handling.optimizer} the weights are rounded to {first.format}, and {undone:.0%} of the "
        "elements that it had moved are back where they were",
        wanted="weights that keep the change made by a step",
        cause="num-precision",
        likely="the weights are stored in a format coarser than a step",
        do="keep the weights in float32, and round a copy of them if fewer bits are needed",
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
        likely="the weights are decayed or reset by hand after the step" if shrunk else None,
        do="remove it, or leave the decay to the optimizer's `weight_decay`" if shrunk else None,
        numbers={"change": change, "own": own, "ratio": ratio},
    )


CHECK = Check(
    id="FL318",
    summary="something other than the optimizer changes the weights",
    causes=("train-reinit", "hp-regularisation", "num-precision"),
    likely="the training loop itself writes to the weights",
    fix="find what writes to the weights between two steps, and remove it",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
