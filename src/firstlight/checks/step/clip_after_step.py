"""Gradients are clipped after the step that used them.

## What it sees
`clip_grad_norm_` was called when no backward had come since the optimizer's step: the step used unclipped
gradients, and the clipped ones are cleared before the next.

## When it is fine
Calling it only to measure the norm, with an infinite limit, is not reported.
"""

import math
from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.facts import ClipOrder
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    times: int = 3
    """Once may be a measurement at the end of an epoch."""
    share: float = 0.5
    """Most clippings on that line."""


def find(clip: ClipOrder, limits: Limits) -> Iterator[Evidence]:
    if math.isinf(clip.max_norm) or clip.late < limits.times or clip.late < limits.share * clip.times:
        return
    yield Evidence(
        where=at(clip.site, step=clip.first_step, rank=clip.rank),
        saw=f"{clip.late} of {clip.times} clippings came after the step, with no backward since",
        wanted="clipping between backward and step",
        numbers={"late": clip.late, "times": clip.times, "max_norm": clip.max_norm},
    )


CHECK = Check(
    id="FL304",
    name="clip-after-step",
    summary="gradients are clipped after they were used",
    causes=("train-order",),
    likely="`clip_grad_norm_` stands below `optimizer.step()`",
    fix="move the clipping between `backward()` and `step()`",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
