"""The schedule drives the learning rate to almost zero long before the run ends, or up without end.

## What it sees
The schedule is stepped in a dry run over the declared length of the run (ten epochs if none is declared), or over the
length that a rehearsal of the whole program shows. The check looks at when the rate is used up, when it peaks, and
where it ends. It also reports a schedule that starts low, to warm up, and is never stepped in a rehearsal that reaches
the end of the program.

## When it is fine
A run may be cut short on purpose. Without `total_steps` the length is a guess, and this is a warning.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import ScheduleTried


class Limits(Settable):
    spent_share: float = 0.5
    """Fraction of the run for which the rate must last; below a thousandth of its peak, it teaches nothing."""
    rise: float = 10.0
    """Ratio of the last rate to the first nonzero one that must be exceeded; a warm-up from a tenth does not."""
    idle_rise: float = 2.0
    """Ratio to the first rate that a schedule which is never stepped would have exceeded."""
    last_at_peak: float = 0.98
    """Fraction of the run by which the rate must have peaked; a rate that still rises at the end never settled."""


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
            likely="a schedule counted in epochs is stepped at every batch" if within_an_epoch else None,
            do="step it once an epoch (`schedule_every='epoch'`), or give its length in steps"
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
            likely="the warm-up is as long as the run, or the rate is multiplied by a factor above one at every step",
            do="plot the rate over the whole run, and set the warm-up to a few per cent of it",
            numbers=numbers,
        )


def _least(tried: ScheduleTried) -> float:
    """The first nonzero rate, because most warm-ups start at zero."""
    return next((rate for rate in tried.rates if rate > 0), 0.0)


def _idle(tried: ScheduleTried, peak: float, limits: Limits) -> Found:
    """Report only a schedule that would raise the rate: one that only lowers it does no harm if left out."""
    first = tried.rates[0]
    if peak > limits.idle_rise * first >= 0:
        yield Evidence(
            where=at(tried.site, rank=tried.rank),
            saw=f"`{tried.schedule}` starts at a rate of {first:.3g}, would rise to {peak:.3g}, and is never stepped",
            wanted="a schedule stepped at every batch or epoch that it counts",
            likely="the call to its `step` was left out, or is never reached",
            do="step it after `optimizer.step()`, or remove it",
            numbers={"first": first, "peak": peak},
        )


CHECK = Check(
    id="FL330",
    summary="the schedule leaves no learning rate for most of the run",
    causes=("train-schedule",),
    likely="the schedule's length is in a different unit from the one it is stepped in",
    fix="print the learning rate at the start, the middle and the end of the run",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
