"""The schedule drives the learning rate to nothing long before the run ends, or up without end.

## What it sees
A dry run of the schedule over the length of the run: the one declared (ten epochs where none is), or the one that a
rehearsal of the whole program shows. The share of the run at which the rate is spent, at which it peaks, and where it
ends. Also a schedule that begins low, to warm up, and is never stepped in a rehearsal that reaches the end.

## When it is fine
A run that is cut short on purpose. Without `total_steps` the length is a guess, and this is a warning.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import ScheduleTried


class Limits(Settable):
    spent_share: float = 0.5
    """Of the run; a rate below a thousandth of its peak teaches nothing."""
    rise: float = 10.0
    """Times the first rate above zero: more than a usual warm-up from a tenth reaches at its end."""
    idle_rise: float = 2.0
    """Times the first rate, to which a schedule that is never stepped would have risen."""
    last_at_peak: float = 0.98
    """Of the run: a rate that still rises at the end never came to rest."""


def find(tried: ScheduleTried, limits: Limits) -> Found:
    if not tried.rates:
        return
    peak, first, last = max(tried.rates), tried.rates[0], tried.rates[-1]
    where = at(tried.site, rank=tried.rank)
    severity = None if tried.known_length else Severity.WARNING
    length = f"{tried.steps} steps" + ("" if tried.known_length else " (a guess: `total_steps` is not declared)")
    numbers: dict[str, float | int | str | bool | None] = {"first": first, "peak": peak, "last": last}
    if tried.every == "never":
        yield from _idle(tried, peak, limits)
    elif tried.spent_at is not None and tried.spent_at < limits.spent_share:
        within_an_epoch = tried.epoch_steps is not None and tried.spent_at * tried.steps <= tried.epoch_steps
        yield Evidence(
            where=where,
            saw=f"`{tried.schedule}` is below a thousandth of its peak {peak:.3g} after {tried.spent_at:.0%} "
            f"of {length}",
            wanted=f"a usable rate for at least {limits.spent_share:.0%} of the run",
            severity=severity,
            likely="a schedule in epochs is stepped at every batch" if within_an_epoch else None,
            do="step it once an epoch (`schedule_every='epoch'`), or give it its length in steps"
            if within_an_epoch
            else None,
            numbers=numbers,
        )
    elif tried.peak_at > limits.last_at_peak and last > limits.rise * _least(tried) > 0:
        yield Evidence(
            where=where,
            saw=f"`{tried.schedule}` rises from {first:.3g} to {last:.3g} over {length}",
            wanted=f"a peak before {limits.last_at_peak:.0%} of the run",
            severity=Severity.WARNING,
            likely="the warm-up is as long as the run, or a factor above one is multiplied in at every step",
            do="plot the rate over the whole run, and set the warm-up to a few per cent of it",
            numbers=numbers,
        )


def _least(tried: ScheduleTried) -> float:
    """The first rate at which anything moves: most warm-ups begin at zero."""
    return next((rate for rate in tried.rates if rate > 0), 0.0)


def _idle(tried: ScheduleTried, peak: float, limits: Limits) -> Found:
    """One that only lowers the rate does no harm where it is left out."""
    first = tried.rates[0]
    if peak > limits.idle_rise * first >= 0:
        yield Evidence(
            where=at(tried.site, rank=tried.rank),
            saw=f"`{tried.schedule}` begins at a rate of {first:.3g}, would rise to {peak:.3g}, and is never stepped",
            wanted="a step of the schedule for every batch or epoch that it counts",
            likely="the call of its `step` was left out, or is never reached",
            do="step it after `optimizer.step()`, or remove it",
            numbers={"first": first, "peak": peak},
        )


CHECK = Check(
    id="FL330",
    summary="the schedule leaves no learning rate for most of the run",
    causes=("train-schedule",),
    likely="the schedule's length is in other units than it is stepped in",
    fix="print the learning rate at the start, the middle and the end of the run",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
