"""Gradients of step after step are added up.

## What it sees
At many steps in a row the gradient was the very one the step before had left, untouched, with the new one added on.

## When it is fine
Accumulation over several backwards for one step is nothing like it: what counts is a step after which nobody cleared.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import GradientTrack


class Limits(Settable):
    steps: int = 16
    """In a row; clearing every few steps is somebody's way to accumulate."""


def find(track: GradientTrack, limits: Limits) -> Found:
    if track.piled < limits.steps:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.piled} steps in a row used gradients that still held those of the steps before; their norm went "
        f"from "
        f"{track.start:.3g} to {track.level:.3g}",
        wanted="gradients cleared once between two steps",
        numbers={"steps": track.piled, "start": track.start, "level": track.level},
    )


CHECK = Check(
    id="FL370",
    summary="gradients of step after step are added up",
    causes=("train-no-zero-grad",),
    likely="`optimizer.zero_grad()` is missing from the loop",
    fix="call `optimizer.zero_grad()` once in every step, before `backward`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
