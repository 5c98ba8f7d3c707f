"""Even the smallest part of a step against the gradient raises the loss.

## What it sees
The loss on one batch along the experiment's own first step, from a millionth of the step to all of it. Against a
gradient the loss falls at first, however rough its surface is. Here it rises for every part of the step that changes it
at all, so what backward computes is not the slope of what forward computes.

## When it is fine
A gradient that is reversed on purpose, as in domain-adversarial training. Parts of the model that are cut from the
graph on purpose (a target network, a quantizer) bend the gradient; they rarely reverse it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Surface


class Limits(Settable):
    visible: float = 1e-6
    """Smallest change, relative to the loss; smaller ones are lost in the rounding of single precision."""
    slight: float = 1e-2
    """Largest change, relative to the loss, that still comes from the slope and not from the curvature."""
    parts: int = 2
    """Fewest such changes, all of them upwards."""


def find(surface: Surface, limits: Limits) -> Found:
    size = abs(surface.loss)
    changes = [(look.part, look.loss - surface.loss) for look in surface.along]
    telling = [(part, change) for part, change in changes if not abs(change) <= limits.visible * size]
    slight = [change for _, change in telling if abs(change) <= limits.slight * size]
    if len(slight) < limits.parts or not all(change > 0 for _, change in telling):
        return
    part, change = telling[0]
    yield Evidence(
        where=at(surface.site, step=0, rank=surface.rank),
        saw=f"{part:g} of the first step raises the loss on its own batch by {change:.2g} from {surface.loss:.4g}, "
        "and so does every larger part of it",
        wanted="a loss that falls at the start of a step against its gradient",
        numbers={"loss": surface.loss, "part": part, "change": change},
    )


CHECK = Check(
    id="FL235",
    summary="a step against the gradient raises the loss at once",
    causes=("loss-gradient",),
    likely="a hook or a hand-written backward reverses the gradient, or a detached term outweighs the rest",
    fix="compare `torch.autograd.grad` with a finite difference of the loss for a single weight, layer by layer",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
