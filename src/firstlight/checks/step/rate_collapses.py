"""The learning rate all but vanishes within the first epochs, or never leaves the bottom of its warm-up.

## What it sees
Within one epoch the rate fell in several steep drops, and it stays at a small part of its peak: a schedule in epochs
is stepped at every batch. Or the rate stood still for a whole epoch at a tiny part of what the optimizer was built
with: a warm-up counted in steps is stepped once per epoch, or, where no schedule gave that rate and it never changes,
the program writes it into the optimizer's groups itself.

## When it is fine
One-cycle, cosine and linear schedules over the whole run change little within an epoch of a long run. In a run that
lasts one epoch they go to zero within it, smoothly; only steep falls to a rate that then stays are reported.
"""

from itertools import pairwise, takewhile

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Rate


class Limits(Settable):
    collapsed_to: float = 0.05
    """Part of the peak below which nothing is learnt any more."""
    stays_epochs: float = 0.5
    """Stay down there, up to the last step seen; a schedule over the whole run is that low only at its very end."""
    smallest_drop: float = 0.95
    """A schedule in epochs multiplies by at most this at each of its drops."""
    drops: int = 2
    """One drop may be a planned milestone."""
    stuck_at: float = 0.05
    """Part of the configured rate at which a warm-up stands still."""
    epoch_steps: int = 20
    """Shorter epochs make per-epoch and per-batch stepping alike."""


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
            do="move `scheduler.step()` out of the batch loop, or give the schedule in batches",
            numbers={"peak": peak, "last": epoch[-1], "drops": len(falls)},
        )
    elif rate.first_lr and len(set(epoch)) == 1 and 0 < peak < limits.stuck_at * rate.first_lr:
        overwritten = rate.by_hand and len(set(rate.lrs)) == 1
        yield Evidence(
            where=at(rate.site, rank=rate.rank),
            saw=f"for a whole epoch of {rate.epoch_steps} steps the learning rate stands at {peak:.3g}, "
            f"{peak / rate.first_lr:.1%} of the {rate.first_lr:.3g} configured",
            wanted="the rate that is configured" if overwritten else WARM_UP,
            cause="hp-lr-low" if overwritten else None,
            do="remove what writes to `param_groups`, or write the rate that is meant" if overwritten else ADVANCE,
            likely="the program writes another rate into the optimizer's groups before every step"
            if overwritten
            else "a warm-up written in steps is stepped once per epoch",
            numbers={"lr": peak, "configured": rate.first_lr},
        )


def _stays(rate: Rate, low: float) -> float:
    """Epochs spent below `low` without a break, up to the last step seen."""
    assert rate.epoch_steps
    return sum(1 for _ in takewhile(lambda lr: lr < low, reversed(rate.lrs))) / rate.epoch_steps


def _geometric(falls: list[float], limits: Limits) -> bool:
    steep = [fall for fall in falls if fall <= limits.smallest_drop]
    return len(steep) >= limits.drops


WARM_UP = "a warm-up that advances with the steps it is counted in"
ADVANCE = 'step the scheduler at every batch (Lightning: `"interval": "step"`), or count the warm-up in epochs'
CHECK = Check(
    id="FL307",
    summary="the learning rate is driven to nothing by a schedule stepped at the wrong cadence",
    causes=("train-schedule", "hp-lr-low"),
    likely="`scheduler.step()` is called at every batch although its numbers are meant in epochs",
    fix="step the schedule in the unit its numbers are written in",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
