"""Training goes on with a learning rate of zero.

## What it sees
The learning rate came down to exactly zero and many further steps were made with it.

## When it is fine
Most schedules end at zero, with the last step or two of the run.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RateTrack


class Limits(Settable):
    steps: int = 50
    """At zero; a run that is over does not make them."""


def find(track: RateTrack, limits: Limits) -> Found:
    if track.zero < limits.steps:
        return
    yield Evidence(
        where=Where(step=track.step - track.zero + 1, rank=track.rank),
        saw=f"the last {track.zero} steps had a learning rate of 0; it had been {track.highest:.3g}",
        wanted="an end of the run, or a rate above 0",
        numbers={"steps": track.zero, "highest": track.highest},
    )


CHECK = Check(
    id="FL372",
    summary="training goes on with a learning rate of zero",
    causes=("train-schedule",),
    likely="the schedule was made for fewer steps than the run has, or is stepped too often",
    fix="give the schedule the total number of steps, and step it once in each",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
