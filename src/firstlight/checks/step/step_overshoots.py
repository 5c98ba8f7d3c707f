"""The first step makes the loss on its own batch many times larger.

## What it sees
The loss on one batch before and after the experiment's own first step on it, and after smaller parts of that step: the
whole of it overshoots by far, while a small part of it lowers the loss as it should.

## When it is fine
A schedule that begins far below the declared rate is not a part of this step: the run may get through its beginning
then. A loss of zero has no size to compare with and is not judged.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Surface


class Limits(Settable):
    growth: float = 10.0
    """Times the loss, on the very batch that the step was made for; healthy first steps stay below two."""


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
    fix="lower the learning rate by ten, or clip the gradients' norm",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
