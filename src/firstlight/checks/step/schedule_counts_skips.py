"""The learning rate moves on at steps that were never made.

## What it sees
A loss scaler left out steps, and after each the learning rate had another value: the schedule counts steps that the
optimizer did not make, and is ahead of it. A warm-up ends too early, and the rate reaches its end before the run does.

## When it is fine
A few steps at the start, while the scaler looks for its scale, are not told of.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScaleTrack


class Limits(Settable):
    steps: int = 32
    """Left out and counted; a scaler that starts at 65536 is down to 1 after sixteen."""
    share: float = 0.02
    """Of all steps: by less the schedule is hardly wrong."""


def find(track: ScaleTrack, limits: Limits) -> Found:
    if track.scheduled < limits.steps or not track.scheduled > limits.share * track.steps:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.scheduled} of {track.steps} steps were left out by the loss scaler, and the learning rate moved "
        "on at each of them",
        wanted="a schedule that steps when the optimizer does",
        numbers={"scheduled": track.scheduled, "steps": track.steps},
    )


CHECK = Check(
    id="FL382",
    summary="the schedule counts steps that the loss scaler left out",
    causes=("train-schedule",),
    likely="`scheduler.step()` is called in every iteration, whether the scaler let the optimizer step or not",
    fix="step the schedule only where `scaler.get_scale()` did not fall in `scaler.update()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
