"""Gradients are clipped in a place where clipping has no effect, or the wrong one.

## What it sees
In the order of a training loop, the last call before `clip_grad_norm_` is `step()` or `zero_grad()`, not `backward()`:
the gradients it clips were already used, or are zero. Or the loop steps through a `GradScaler` and clips without
calling `scaler.unscale_(optimizer)` first: the limit is compared with gradients that are tens of thousands of times too
large.

## When it is fine
Measuring the norm with an infinite limit is not reported, nor clipping on the other side of an `if` from the scaler,
nor a loop that calls code that cannot be followed.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    if loop.hidden or not loop.updates:
        return
    scaled = [update for update in loop.updates if update.target == "scaler.step" and not loop.unscales]
    for clip in loop.clips:
        last = loop.last_before(clip, [*loop.backwards, *loop.updates, *loop.clears])
        if last is not None and last not in loop.backwards and last.loops == clip.loops and not _only_measures(clip):
            used = last in loop.updates
            yield Evidence(
                where=clip.spot.where,
                saw=f"clipping after {'`step()`' if used else '`zero_grad()`'} at {last.spot}, with no backward "
                "in between",
                wanted="clipping between `backward()` and `step()`",
            )
        elif scaled and clip.target.startswith("torch.nn.utils.") and not any(map(clip.excludes, scaled)):
            yield Evidence(
                where=clip.spot.where,
                saw=f"gradients are clipped here with no `unscale_` before; the scaler steps at {scaled[0].spot}",
                wanted="`scaler.unscale_(optimizer)` between `backward()` and the clipping",
                likely="the clipping was written before mixed precision was added",
                do="call `scaler.unscale_(optimizer)` before clipping",
            )


def _only_measures(clip: Call) -> bool:
    limit = clip.argument(1, "max_norm")
    return limit is not None and (
        limit.name.endswith("inf") or limit.const == math.inf or (limit.kind == "unknown" and "inf" in limit.key)
    )


CHECK = Check(
    id="FL713",
    summary="gradients are clipped after they were used, before they exist or before they are unscaled",
    causes=("train-order",),
    likely="`clip_grad_norm_` is on the wrong side of `step()` or `backward()`",
    fix="move it between `backward()` and `step()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="clip-out-of-place",
)
