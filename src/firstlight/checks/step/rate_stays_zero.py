"""Training continues with a learning rate of zero.

## What it sees
The learning rate fell to exactly zero, and many further steps were made with it.

## When it is fine
Most schedules reach zero only in the last step or two of the run.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RateTrack


class Limits(Settable):
    steps: int = 50
    """Fewest steps at a rate of zero; a run that ends there does not make that many."""


def find(track: RateTrack, limits: Limits) -> Found:
    if track.zero < limits.steps:
        return
    yield Evidence(
        where=Where(step=track.step - track.zero + 1, rank=track.rank),
        saw=f"the last {track.zero} steps had a learning rate of 0; it had been {track.highest:.3g}",
        wanted="a rate above 0, or the end of the run",
        numbers={"steps": track.zero, "highest": track.highest},
    )


CHECK = Check(
    id="FL372",
    summary="training continues with a learning rate of zero",
    causes=("train-schedule",),
    likely="the schedule was made for fewer steps than the run has, or is stepped too often",
    fix="give the schedule the total number of steps, and step it once per step",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
