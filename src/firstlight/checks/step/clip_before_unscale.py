"""Gradients are clipped while still multiplied by the loss scale.

## What it sees
A GradScaler is in use and `clip_grad_norm_` was called on gradients it had not unscaled: the limit is compared with
a norm tens of thousands of times too large, so every update becomes that much too small.

## When it is fine
With the scaler disabled its factor is 1 and nothing is reported.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.facts import ClipOrder
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    share: float = 0.5
    """Most clippings on that line."""


def find(clip: ClipOrder, limits: Limits) -> Iterator[Evidence]:
    if not clip.scaled or clip.scaled < limits.share * clip.times:
        return
    yield Evidence(
        where=at(clip.site, step=clip.first_step, rank=clip.rank),
        saw=f"{clip.scaled} of {clip.times} clippings to {clip.max_norm:g} met scaled gradients of norm "
        f"{clip.median_norm:.3g}",
        wanted="`scaler.unscale_(optimizer)` before the clipping",
        numbers={"scaled": clip.scaled, "times": clip.times, "median_norm": clip.median_norm},
    )


CHECK = Check(
    id="FL305",
    name="clip-before-unscale",
    summary="gradients are clipped while still multiplied by the loss scale",
    causes=("train-order", "hp-clip"),
    likely="`scaler.unscale_(optimizer)` is missing before `clip_grad_norm_`",
    fix="call `scaler.unscale_(optimizer)` between `backward()` and the clipping",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
