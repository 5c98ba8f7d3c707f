"""The learning rate schedule advances at steps that were skipped.

## What it sees
A loss scaler skipped steps, and after each of them the learning rate had changed: the schedule counts steps that the
optimizer never made, and runs ahead of it. The warm-up ends too early, and the schedule ends before the run does.

## When it is fine
A few skipped steps at the start, while the scaler searches for its scale, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScaleTrack


class Limits(Settable):
    steps: int = 32
    """Fewest skipped steps that the schedule counted; a scaler that starts at 65536 is down to 1 after sixteen."""
    share: float = 0.02
    """Share of all steps that must be exceeded; below it, the schedule is hardly wrong."""


def find(track: ScaleTrack, limits: Limits) -> Found:
    if track.scheduled < limits.steps or not track.scheduled > limits.share * track.steps:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.scheduled} of {track.steps} steps were skipped by the loss scaler, and the learning rate changed "
        "at each of them",
        wanted="a schedule that advances only when the optimizer does",
        numbers={"scheduled": track.scheduled, "steps": track.steps},
    )


CHECK = Check(
    id="FL382",
    summary="the schedule counts steps that the loss scaler skipped",
    causes=("train-schedule",),
    likely="`scheduler.step()` is called in every iteration, even if the scaler skipped the optimizer's step",
    fix="step the schedule only if `scaler.update()` did not lower `scaler.get_scale()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
