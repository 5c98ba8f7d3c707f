"""The learning rate almost vanishes within the first epoch, or never leaves the bottom of its warm-up.

## What it sees
Within one epoch the rate fell in several steep drops and stayed at a small fraction of its peak: a schedule counted in
epochs is stepped at every batch. Or the rate did not change for a whole epoch, at a tiny fraction of the rate the
optimizer was built with: a warm-up counted in steps is stepped once per epoch. If that rate came from no schedule and
never changes, the program itself writes it into the optimizer's groups.

## When it is fine
One-cycle, cosine and linear schedules change little within one epoch of a long run. In a run of a single epoch they
fall smoothly to zero within it; only steep falls to a rate that then stays low are reported.
"""

from itertools import pairwise, takewhile

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Rate


class Limits(Settable):
    collapsed_to: float = 0.05
    """Fraction of the peak below which nothing more is learnt."""
    stays_epochs: float = 0.5
    """Fewest epochs that the rate stays that low, up to the last step seen; a schedule over the whole run gets that low
    only at its very end."""
    smallest_drop: float = 0.95
    """Largest factor that counts as a steep drop; a schedule counted in epochs multiplies by this or less."""
    drops: int = 2
    """Fewest steep drops within the epoch; one may be a planned milestone."""
    stuck_at: float = 0.05
    """Fraction of the configured rate below which a rate that does not change counts as stuck."""
    epoch_steps: int = 20
    """Fewest steps in an epoch; in shorter epochs, stepping per epoch and per batch look alike."""


def find(rate: Rate, limits: Limits) -> Found:
    if rate.epoch_steps is None or rate.epoch_steps < limits.epoch_steps or len(rate.lrs) <= rate.epoch_steps:
        return
    epoch = rate.lrs[: rate.epoch_steps]
    peak = max(epoch)
    falls = [b / a for a, b in pairwise(epoch) if a > 0 and b < a]
    if falls and _stays(rate, limits.collapsed_to * peak) >= limits.stays_epochs and _geometric(falls, limits):
        yield Evidence(
            where=at(rate.site, rank=rate.rank),
            saw=f"the learning rate falls from {peak:.3g} to {epoch[-1]:.3g} within one epoch of "
            f"{rate.epoch_steps} steps, by a factor of {min(falls):.2g} at a time",
            wanted="a schedule in epochs stepped once per epoch",
            do="move `scheduler.step()` out of the batch loop, or write the schedule in batches",
            numbers={"peak": peak, "last": epoch[-1], "drops": len(falls)},
        )
    elif rate.first_lr and len(set(epoch)) == 1 and 0 < peak < limits.stuck_at * rate.first_lr:
        overwritten = rate.by_hand and len(set(rate.lrs)) == 1
        yield Evidence(
            where=at(rate.site, rank=rate.rank),
            saw=f"for a whole epoch of {rate.epoch_steps} steps the learning rate stays at {peak:.3g}, "
            f"{peak / rate.first_lr:.1%} of the {rate.first_lr:.3g} configured",
            wanted="the configured rate" if overwritten else WARM_UP,
            cause="hp-lr-low" if overwritten else None,
            do="remove the write to `param_groups`, or write the intended rate" if overwritten else ADVANCE,
            likely="the program writes another rate into the optimizer's groups before every step"
            if overwritten
            else "a warm-up counted in steps is stepped once per epoch",
            numbers={"lr": peak, "configured": rate.first_lr},
        )


def _stays(rate: Rate, low: float) -> float:
    """Epochs spent below `low` without a break, up to the last step seen."""
    assert rate.epoch_steps
    return sum(1 for _ in takewhile(lambda lr: lr < low, reversed(rate.lrs))) / rate.epoch_steps


def _geometric(falls: list[float], limits: Limits) -> bool:
    steep = [fall for fall in falls if fall <= limits.smallest_drop]
    return len(steep) >= limits.drops


WARM_UP = "a warm-up stepped in the unit it is counted in"
ADVANCE = 'step the scheduler at every batch (Lightning: `"interval": "step"`), or count the warm-up in epochs'
CHECK = Check(
    id="FL307",
    summary="a schedule stepped at the wrong cadence leaves almost no learning rate",
    causes=("train-schedule", "hp-lr-low"),
    likely="`scheduler.step()` is called at every batch, although its numbers are in epochs",
    fix="step the schedule in the unit its numbers are written in",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
