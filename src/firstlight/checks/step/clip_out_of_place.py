"""Gradients are clipped after the step that used them, or while still multiplied by the loss scale.

## What it sees
`clip_grad_norm_` was called when there had been no backward since the optimizer's step: the step used unclipped
gradients, and the clipped ones are cleared before the next. Or a GradScaler is in use and had not yet unscaled the
gradients: the limit is compared with a norm tens of thousands of times too large, and every update is that much too
small.

## When it is fine
Calling it only to measure the norm, with an infinite limit, is not reported. A disabled scaler has a factor of 1.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import ClipOrder


class Limits(Settable):
    times: int = 3
    """Fewest clippings that come after the step; a single one may be a measurement at the end of an epoch."""
    share: float = 0.5
    """Smallest share of the clippings on that line that are out of place."""


def find(clip: ClipOrder, limits: Limits) -> Found:
    most = limits.share * clip.times
    if not math.isinf(clip.max_norm) and clip.late >= limits.times and clip.late >= most:
        yield Evidence(
            where=at(clip.site, step=clip.first_step, rank=clip.rank),
            saw=f"{clip.late} of {clip.times} clippings came after the step, with no backward since",
            wanted="clipping between backward and step",
            numbers={"late": clip.late, "times": clip.times, "max_norm": clip.max_norm},
        )
    if clip.scaled and clip.scaled >= most:
        yield Evidence(
            where=at(clip.site, step=clip.first_step, rank=clip.rank),
            saw=f"{clip.scaled} of {clip.times} clippings to {clip.max_norm:g} met scaled gradients of norm "
            f"{clip.median_norm:.3g}",
            wanted="`scaler.unscale_(optimizer)` before the clipping",
            likely="`scaler.unscale_(optimizer)` is missing before `clip_grad_norm_`",
            do="call `scaler.unscale_(optimizer)` between `backward()` and the clipping",
            numbers={"scaled": clip.scaled, "times": clip.times, "median_norm": clip.median_norm},
        )


CHECK = Check(
    id="FL350",
    summary="gradients are clipped after they were used, or before they are unscaled",
    causes=("train-order", "hp-clip"),
    likely="`clip_grad_norm_` stands below `optimizer.step()`",
    fix="move the clipping between `backward()` and `step()`",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
    since="0.2",
)
