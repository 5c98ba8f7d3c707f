"""Gradients are clipped where the clipping has no effect.

## What it sees
In the order of a training loop, the last thing before `clip_grad_norm_` is `step()` or `zero_grad()`, not
`backward()`: the gradients it clips were already used, or are zero.

## When it is fine
Measuring the norm with an infinite limit is not reported, nor a loop that calls code that cannot be followed.
"""

import math
from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Iterator[Evidence]:
    if loop.hidden or not loop.updates:
        return
    for clip in loop.clips:
        last = loop.last_before(clip, [*loop.backwards, *loop.updates, *loop.clears])
        if last is None or last in loop.backwards or last.loops != clip.loops or _only_measures(clip):
            continue
        used = last in loop.updates
        yield Evidence(
            where=clip.spot.where,
            saw=f"clipping after {'`step()`' if used else '`zero_grad()`'} at {last.spot}, no backward between them",
            wanted="clipping between `backward()` and `step()`",
        )


def _only_measures(clip: Call) -> bool:
    limit = clip.argument(1, "max_norm")
    return limit is not None and (
        limit.name.endswith("inf") or limit.const == math.inf or (limit.kind == "unknown" and "inf" in limit.key)
    )


CHECK = Check(
    id="FL713",
    name="clip-misplaced",
    summary="gradients are clipped after they were used or before they exist",
    causes=("train-order",),
    likely="`clip_grad_norm_` stands on the wrong side of `step()` or `backward()`",
    fix="move it between `backward()` and `step()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="clip-after-step",
)
