"""The learning rate jumps to a multiple of anything it was before.

## What it sees
From one step to the next the learning rate rose to many times the highest it had ever had, after the run had been going
for a while.

## When it is fine
Warm-up raises it in small steps, and restarts go back to a height it had before. A stage that trains other layers at
another rate changes it by less than this; where such a change does harm, the loss tells.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RateTrack


class Limits(Settable):
    times: float = 100.0
    """The highest rate before; schedules change by less, but for restarts, and so do stages with rates of their own."""
    after: int = 20
    """Steps; before that a warm-up may begin from nearly nothing."""


def find(track: RateTrack, limits: Limits) -> Found:
    if track.now != track.now:
        yield Evidence(where=Where(step=track.step, rank=track.rank), saw="the learning rate is NaN", wanted="a number")
        return
    if not track.jump >= limits.times or track.jumped_at < limits.after:
        return
    yield Evidence(
        where=Where(step=track.jumped_at, rank=track.rank),
        saw=f"at step {track.jumped_at} the learning rate rose to {track.jump:.3g} times the highest it had had",
        wanted=f"less than {limits.times:g} times in one step",
        numbers={"times": track.jump, "step": track.jumped_at},
    )


CHECK = Check(
    id="FL371",
    summary="the learning rate jumps to a multiple of anything it was before",
    causes=("train-schedule",),
    likely="a schedule with the wrong unit, or a rate set by hand",
    fix="print the learning rate around that step, and the number of steps the schedule was made for",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
