"""The learning rate schedule was planned for a different number of steps than the run gives it.

## What it sees
A rehearsal of the whole program shows how often the schedule will be stepped, by the program's own loops, by Lightning
or by the Hugging Face Trainer. A copy of the schedule is stepped that often, and then further, to see what was planned.
The check speaks if the rate never comes near the planned peak; if the plan is as long as the number of optimizer steps
but the schedule is stepped once an epoch; if all of it is over at the very beginning and leaves a small rate; or if a
plan as long as an outer loop (such as the epochs) is stepped at every batch, so that the rate swings up and down.

## When it is fine
The run may be the first part of a longer training that continues from a checkpoint. Schedules that rise or fall
without end, follow a metric, or are told their position have no plan to compare with the run, and are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.rehearsal import ScheduleAhead


class Limits(Settable):
    reached: float = 0.3
    """Fraction of the peak that the rate must reach; a warm-up more than three times as long as the run falls short."""
    begun: float = 0.2
    """Fraction of the plan below which it counts as stepped once an epoch: epochs of more than five batches."""
    alike: float = 0.15
    """Largest relative difference at which two numbers of steps count as equal; last batches, warm-ups and accumulation
    at the end of an epoch cause small differences."""
    over: float = 0.05
    """Fraction of the run below which a plan counts as over at the very beginning."""
    left: float = 0.1
    """Fraction of the peak below which the remaining rate is small; a schedule that only warms up leaves all of it."""
    swings: int = 3
    """Fewest times that the rate rises again; a plan that is exceeded a little rises once."""


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
    run = f"in the {ahead.ticks} steps that the whole run gives `{ahead.schedule}`,"
    length = ahead.length or 0
    if ahead.peak is not None and ahead.highest < limits.reached * ahead.peak:
        return (
            (
                f"{run} the rate never exceeds {ahead.highest:.3g}; its peak of {ahead.peak:.3g} comes after "
                f"{ahead.peak_after} steps"
            ),
            f"a rate of {ahead.peak:.3g} after a small part of the run",
            "it is counted in optimizer steps and stepped once an epoch, or the warm-up is longer than the run",
        )
    if ahead.steps and 0 < ahead.ticks < limits.begun * length and _alike(length, ahead.steps, limits):
        return (
            (
                f"`{ahead.schedule}` is planned for {length} steps but stepped {ahead.ticks} times in the whole run, "
                f"which makes {ahead.steps} optimizer steps"
            ),
            f"{length} steps of the schedule",
            "it is counted in optimizer steps and stepped once an epoch",
        )
    if not ahead.certain or not length or ahead.peak is None:
        return None
    if not ahead.swings and length < limits.over * ahead.ticks and ahead.last < limits.left * ahead.peak:
        return (
            (
                f"{run} its plan is over after {length}, and the rate stays at {ahead.last:.3g}, down from a peak of "
                f"{ahead.peak:.3g}"
            ),
            "a plan as long as the run",
            "it is counted in epochs and stepped at every batch",
        )
    if ahead.swings >= limits.swings and any(_alike(length, rounds, limits) for rounds in ahead.outer):
        return (
            f"{run} the rate reaches its end after {length}, and rises again {ahead.swings} times",
            f"a single descent in {ahead.ticks} steps",
            "it is counted in epochs and stepped at every batch",
        )
    return None


def _alike(length: int, other: int, limits: Limits) -> bool:
    return abs(length - other) <= limits.alike * other


CHECK = Check(
    id="FL337",
    summary="the schedule is planned for a different length than the run has",
    causes=("train-schedule",),
    likely="the schedule's length is in a different unit from the one it is stepped in",
    fix='step it in the unit its length is in (Lightning: `"interval": "step"` beside the scheduler)',
    severity=Severity.WARNING,
    confidence=0.92,
    find=find,
)
