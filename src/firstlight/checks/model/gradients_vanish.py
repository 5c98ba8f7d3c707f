"""The first layers do not move: their gradients vanish on the way back.

## What it sees
The loss hardly falls. From the last layers to the first, the update of a weight relative to its size shrinks by orders
of magnitude, until the first layers practically do not move.

## When it is fine
Frozen layers have no gradient and are not checked. Optimizers that divide by the size of the gradient (Adam) also move
weights with small gradients. A program that learns is not reported, nor is one in which no layer moves: that points to
its learning rate.
"""

import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Moved


class Limits(Settable):
    step: int = 10
    """Earliest step judged; before it, warm-ups start near zero."""
    matrices: int = 4
    """Fewest weight matrices; in a shallower model nothing vanishes on the way."""
    fell: float = 0.05
    """Largest share of its starting value that the loss may have lost."""
    shrinks: float = 1e-3
    """Largest update over size in the first third of the layers, relative to the last third."""
    stands: float = 1e-6
    """Largest update over size of the first third, at which a weight does not move in a thousand steps; about 1e-3 is
    usual."""


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
        f"the last (`{matrices[-1].name}`) by {last:.1e}, and the loss has fallen by {max(0.0, motion.fell):.1%}",
        wanted="updates of about 1e-3 of a weight's size in every layer",
        numbers={"first": first, "last": last},
    )


def _pace(matrices: list[Moved]) -> float:
    return statistics.median(one.update / one.weight for one in matrices)


CHECK = Check(
    id="FL413",
    summary="the gradients vanish before they reach the first layers",
    causes=("arch-vanishing",),
    likely="a deep chain of saturating units (sigmoid, tanh), or weights initialized too small",
    fix="use ReLU or GELU with residual connections or normalization, and the matching initialization",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
