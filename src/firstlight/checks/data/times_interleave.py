"""Validation rows lie among the training rows in time.

## What it sees
The declared table has a time column and says which rows are for training. Some validation rows are not later than the
last training row: the model is scored at times for which it has seen the neighbors, before and after.

## When it is fine
A split by patient, machine or place, where each covers the whole span of time: the question there is about new ones,
not about the future. Allow it then.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.declared import TimeOrder


class Limits(Settable):
    share: float = 0.01
    """Largest share of the validation rows that may be that early; a few at the border may fall on the same day."""
    random: float = 0.5
    """Share of the neighbors in time that a random split would separate, from which on the split counts as random."""


def find(order: TimeOrder, limits: Limits) -> Found:
    if not order.before_last > limits.share:
        return
    rows = order.train_rows + order.val_rows
    by_chance = 2 * order.train_rows * order.val_rows / rows**2
    drawn = order.interleaved >= limits.random * by_chance
    yield Evidence(
        where=Where(),
        saw=f"{order.before_last:.0%} of the validation rows are not later than `{order.column}` {order.train_last}, "
        f"the last of training{', spread as by a random split' if drawn else ''}",
        wanted=f"validation rows later than all training rows, which begin at {order.train_first}",
        severity=Severity.ERROR if drawn else Severity.WARNING,
        numbers={"share": order.before_last, "interleaved": order.interleaved},
    )


CHECK = Check(
    id="FL158",
    summary="validation rows lie among the training rows in time",
    causes=("data-leak-future",),
    likely="the rows of a time series were split at random",
    fix="sort by time and cut once: train before the cut, validate after it, with a gap as long as the forecast "
    "horizon",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
