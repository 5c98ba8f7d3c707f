"""The schedule of the learning rate was planned for another number of steps than the run makes of it.

## What it sees
A rehearsal of the whole program tells how often the schedule will be stepped, in loops by hand, by Lightning or by the
Hugging Face Trainer. A copy of it is stepped so often, and then on, to see what it was planned to do. It speaks where
the rate never comes near the peak of the plan; where the plan is as long as the run has optimizer steps and the
schedule is stepped once an epoch; where all of it is over at the very beginning and leaves a small rate; and where a
plan as long as a loop around, in epochs say, is gone through at every batch and swings up and down.

## When it is fine
A first part of a longer training that goes on from a checkpoint. Schedules that rise or fall without end, follow a
metric, or are told where they are have no plan to hold the run against, and are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.rehearsal import ScheduleAhead


class Limits(Settable):
    reached: float = 0.3
    """Of the peak: a warm-up of three times the run's length, and more, gets no further."""
    begun: float = 0.2
    """Of the plan: epochs of five batches and more, where it is stepped once in each."""
    alike: float = 0.15
    """By which two numbers of steps differ and are one: last batches, warm-ups, accumulation at the end of an epoch."""
    over: float = 0.05
    """Of the run, in which the whole plan lies."""
    left: float = 0.1
    """Of the peak, with which the rest of the run has to do; what ends a warm-up leaves all of it."""
    swings: int = 3
    """Times that the rate rises again; a plan that is exceeded a little rises once."""


def find(ahead: ScheduleAhead, limits: Limits) -> Found:
    told = _told(ahead, limits)
    if told is None:
        return
    saw, wanted, likely = told
    yield Evidence(
        where=at(ahead.site, rank=ahead.rank),
        saw=saw,
        wanted=wanted,
        likely=likely,
        numbers={"ticks": ahead.ticks, "highest": ahead.highest, "peak": ahead.peak, "length": ahead.length},
    )


def _told(ahead: ScheduleAhead, limits: Limits) -> tuple[str, str, str] | None:
    run = f"in the {ahead.ticks} steps that the whole run makes of `{ahead.schedule}`"
    length = ahead.length or 0
    if ahead.peak is not None and ahead.highest < limits.reached * ahead.peak:
        return (
            (
                f"{run} the rate never exceeds {ahead.highest:.3g}; its peak of {ahead.peak:.3g} comes after "
                f"{ahead.peak_after} steps"
            ),
            f"a rate of {ahead.peak:.3g} after a small part of the run",
            "it is counted in steps of the optimizer and stepped once an epoch, or the warm-up is longer than the run",
        )
    if ahead.steps and 0 < ahead.ticks < limits.begun * length and _alike(length, ahead.steps, limits):
        return (
            (
                f"`{ahead.schedule}` is planned for {length} steps and stepped {ahead.ticks} times in the whole run, "
                f"which makes {ahead.steps} steps of the optimizer"
            ),
            f"{length} steps of it",
            "it is counted in steps of the optimizer and stepped once an epoch",
        )
    if not ahead.certain or not length or ahead.peak is None:
        return None
    if not ahead.swings and length < limits.over * ahead.ticks and ahead.last < limits.left * ahead.peak:
        return (
            (
                f"{run} all of it is over after {length}, and the rate stays at {ahead.last:.3g}, from a peak of "
                f"{ahead.peak:.3g}"
            ),
            "a plan as long as the run",
            "it is counted in epochs and stepped at every batch",
        )
    if ahead.swings >= limits.swings and any(_alike(length, rounds, limits) for rounds in ahead.outer):
        return (
            f"{run} the rate comes to its end after {length}, and rises again {ahead.swings} times",
            f"one way down in {ahead.ticks} steps",
            "it is counted in epochs and stepped at every batch",
        )
    return None


def _alike(length: int, other: int, limits: Limits) -> bool:
    return abs(length - other) <= limits.alike * other


CHECK = Check(
    id="FL337",
    summary="the schedule is planned for another length than the run has",
    causes=("train-schedule",),
    likely="the schedule's length is in other units than it is stepped in",
    fix='step it in the unit its length is in (Lightning: `"interval": "step"` beside the scheduler)',
    severity=Severity.WARNING,
    confidence=0.92,
    find=find,
)
