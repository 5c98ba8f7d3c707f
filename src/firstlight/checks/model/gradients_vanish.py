"""The first layers stand still: their gradients have vanished on the way back.

## What it sees
The loss hardly falls, and from the last layers to the first the step of a weight, measured against its size, shrinks
by orders of magnitude until the first layers practically do not move.

## When it is fine
Layers that are frozen have no gradient and are not looked at. Optimizers that divide by the gradient's size (Adam)
move small gradients too. A program that learns is not reported, nor one in which no layer moves: that is its rate.
"""

import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Moved


class Limits(Settable):
    step: int = 10
    """Before it, warm-ups begin near zero."""
    matrices: int = 4
    """In a shallower model nothing vanishes on the way."""
    fell: float = 0.05
    """Share of its first value that the loss of such a program has lost at most."""
    shrinks: float = 1e-3
    """Step over size of the first third of the layers, over that of the last third."""
    stands: float = 1e-6
    """Step over size below which a weight does not move in a thousand steps; about 1e-3 is usual."""


def find(motion: Motion, limits: Limits) -> Found:
    if not motion.looks:
        return
    look = motion.looks[-1]
    matrices = [one for one in look.tensors if len(one.shape) > 1 and one.weight > 0]
    if look.step < limits.step or len(matrices) < limits.matrices or motion.fell is None:
        return
    third = max(1, len(matrices) // 3)
    first, last = _pace(matrices[:third]), _pace(matrices[-third:])
    if not (motion.fell <= limits.fell and first <= limits.stands and first <= limits.shrinks * last and last > 0):
        return
    yield Evidence(
        where=at(motion.site, step=look.step, rank=motion.rank, module=matrices[0].name),
        saw=f"at step {look.step} the first layers (`{matrices[0].name}`) move by {first:.1e} of their size, "
        f"the last (`{matrices[-1].name}`) by {last:.1e}, and the loss has lost {max(0.0, motion.fell):.1%}",
        wanted="steps of about 1e-3 of a weight's size in every layer",
        numbers={"first": first, "last": last},
    )


def _pace(matrices: list[Moved]) -> float:
    return statistics.median(one.update / one.weight for one in matrices)


CHECK = Check(
    id="FL413",
    summary="the gradients vanish before they reach the first layers",
    causes=("arch-vanishing",),
    likely="a deep chain of saturating units (sigmoid, tanh), or weights initialised too small",
    fix="use ReLU or GELU with residual connections or normalisation, and the matching initialisation",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
