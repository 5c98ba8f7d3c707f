"""Gradients are clipped while they still carry the loss scale.

## What it sees
A loop steps through a `GradScaler` and clips gradients without `scaler.unscale_(optimizer)` before: the limit is
compared with gradients tens of thousands of times too large, and every step is shortened to almost nothing.

## When it is fine
Clipping on the other side of an `if` from the scaler is not reported, nor a loop that calls code that cannot be
followed.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Iterator[Evidence]:
    scaled = [update for update in loop.updates if update.target == "scaler.step"]
    if not scaled or loop.unscales or loop.hidden:
        return
    for clip in loop.clips:
        if clip.target.startswith("torch.nn.utils.") and not any(clip.excludes(update) for update in scaled):
            yield Evidence(
                where=clip.spot.where,
                saw=f"gradients clipped here and stepped by the scaler at {scaled[0].spot}, with no `unscale_` before",
                wanted="`scaler.unscale_(optimizer)` between `backward()` and the clipping",
            )


CHECK = Check(
    id="FL714",
    name="clip-of-scaled-gradients",
    summary="gradients are clipped before they are unscaled",
    causes=("train-order",),
    likely="the clipping was written before mixed precision came in",
    fix="call `scaler.unscale_(optimizer)` before clipping",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="clip-before-unscale",
)
