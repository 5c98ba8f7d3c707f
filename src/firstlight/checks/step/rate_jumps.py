"""The learning rate jumps to many times its previous maximum.

## What it sees
From one step to the next, well after the start of the run, the learning rate rose to many times its highest value so
far.

## When it is fine
A warm-up raises the rate in small steps, and restarts return it to a value it had before. A stage that trains other
layers at another rate changes it by less than this; if such a change does harm, the loss shows it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RateTrack


class Limits(Settable):
    times: float = 100.0
    """Smallest ratio to the previous highest rate. Except for restarts, schedules change by less, as do stages with
    rates of their own."""
    after: int = 20
    """First step at which a jump is reported; before it, a warm-up may start from nearly zero."""


def find(track: RateTrack, limits: Limits) -> Found:
    if track.now != track.now:
        yield Evidence(where=Where(step=track.step, rank=track.rank), saw="the learning rate is NaN", wanted="a number")
        return
    if not track.jump >= limits.times or track.jumped_at < limits.after:
        return
    yield Evidence(
        where=Where(step=track.jumped_at, rank=track.rank),
        saw=f"at step {track.jumped_at} the learning rate rose to {track.jump:.3g} times its previous maximum",
        wanted=f"less than {limits.times:g} times in one step",
        numbers={"times": track.jump, "step": track.jumped_at},
    )


CHECK = Check(
    id="FL371",
    summary="the learning rate jumps to many times its previous maximum",
    causes=("train-schedule",),
    likely="a schedule counted in the wrong unit, or a rate set by hand",
    fix="print the learning rate around that step, and the number of steps the schedule was made for",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
