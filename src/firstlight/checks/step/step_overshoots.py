"""The first step makes the loss on its own batch many times larger.

## What it sees
The loss on one batch is measured before and after the experiment's own first step on that batch, and after smaller
fractions of the step. The full step overshoots by far, while a small fraction of it lowers the loss as it should.

## When it is fine
The step is taken at the declared learning rate; a run whose schedule starts far below that rate may get through its
beginning unharmed. A loss of zero gives nothing to compare with and is not judged.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Surface


class Limits(Settable):
    growth: float = 10.0
    """Largest ratio of the loss after the step to the loss before, on the same batch; healthy steps stay below two."""


def find(surface: Surface, limits: Limits) -> Found:
    if not surface.along or not surface.loss > 0:
        return
    whole = surface.along[-1].loss
    if whole <= limits.growth * surface.loss:
        return
    better = [look for look in surface.along if look.loss < surface.loss]
    if not better:
        return
    best = min(better, key=lambda look: look.loss)
    told = f"{whole:.3g}" if math.isfinite(whole) else "a number that is not finite"
    yield Evidence(
        where=at(surface.site, step=0, rank=surface.rank),
        saw=f"the first step of {surface.optimizer} at {surface.lr:g} takes the loss on its own batch from "
        f"{surface.loss:.4g} to {told}; {best.part:g} of that step takes it to {best.loss:.4g}",
        wanted=f"at most {limits.growth:g} times the loss",
        do=f"try a learning rate of {best.part * surface.lr:.1g}",
        numbers={"loss": surface.loss, "after": whole, "better_part": best.part},
    )


CHECK = Check(
    id="FL333",
    summary="the first step makes the loss on its own batch many times larger",
    causes=("hp-lr-high",),
    likely="the learning rate is far too high for gradients of this size",
    fix="divide the learning rate by ten, or clip the norm of the gradients",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
