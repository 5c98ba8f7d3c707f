"""Features of a row depend on rows that come after it in time.

## What it sees
The features of a table in order of time are computed again from its first rows alone, and values of the same rows
change. If only values near the end change, a window or a shift reaches ahead; if values change everywhere, something
was fitted on all rows. When the model is used, the later rows do not exist yet.

## When it is fine
A column that is to be predicted comes from the future by its nature: columns named `target`, `label` or `y` are left
out, and so is everything after the first element of a tuple that `features` returns. If `frame` holds the training rows
alone, a scale that was fitted on all of them is as it should be: allow it then.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import FeaturesAhead

MOST_NAMES = 4


class Limits(Settable):
    nearby: float = 0.5
    """Share of the rows: if no change is farther from the cut, it is a window or a shift, else a fit on all rows."""


def find(ahead: FeaturesAhead, limits: Limits) -> Found:
    if not ahead.columns:
        return
    near = [column for column in ahead.columns if column.farthest <= limits.nearby * column.of]
    chosen = near or list(ahead.columns)
    names = ", ".join(f"`{column.name}`" for column in chosen[:MOST_NAMES])
    more = f" and {len(chosen) - MOST_NAMES} more" if len(chosen) > MOST_NAMES else ""
    most = max(chosen, key=lambda column: column.farthest)
    reach = f"up to {most.farthest} rows before it" if near else f"in {most.changed} of {most.of} rows"
    yield Evidence(
        where=at(ahead.site, rank=ahead.rank),
        saw=f"without the rows after row {ahead.cut}, the values of {names}{more} change {reach}",
        wanted="values of earlier rows that do not change",
        likely=None if near else "a mean, a scale or a rank was computed over all rows, including later ones",
        do=None if near else "fit on the training rows alone, or over a window that ends at the row",
        numbers={"columns": len(chosen), "farthest": most.farthest},
    )


CHECK = Check(
    id="FL139",
    summary="features of a row depend on rows that come after it",
    causes=("data-leak-future",),
    likely="`shift` with a negative number, a centered window, or backward filling",
    fix="compute each row from earlier rows alone: `shift(1)`, windows that end at the row, forward filling",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
