"""Gradients add up from step to step because nothing clears them.

## What it sees
For many steps in a row, the gradient was the one the previous step had left, unchanged, with the new one added to it.

## When it is fine
Accumulating several backwards for one step is not counted: what counts is a step after which nothing was cleared.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import GradientTrack


class Limits(Settable):
    steps: int = 16
    """Fewest such steps in a row; clearing every few steps may be a way to accumulate."""


def find(track: GradientTrack, limits: Limits) -> Found:
    if track.piled < limits.steps:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.piled} steps in a row used gradients that still held those of earlier steps; their norm went from "
        f"{track.start:.3g} to {track.level:.3g}",
        wanted="gradients cleared once between two steps",
        numbers={"steps": track.piled, "start": track.start, "level": track.level},
    )


CHECK = Check(
    id="FL370",
    summary="gradients add up from step to step because nothing clears them",
    causes=("train-no-zero-grad",),
    likely="`optimizer.zero_grad()` is missing from the loop",
    fix="call `optimizer.zero_grad()` once in every step, before `backward`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
