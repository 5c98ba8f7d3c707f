"""Features of a row depend on rows that come after it in time.

## What it sees
The features of a table whose rows are in order of time, computed again from its first rows alone: values of the same
rows change. Near the end alone, a window or a shift reaches ahead; everywhere, something was fitted to all rows. In use
the later rows do not exist yet.

## When it is fine
A column that is to be predicted comes from the future by its nature; those named `target`, `label` or `y` are left out,
and so is what `features` returns beside the first of a tuple. Where `frame` holds the training rows alone, a scale that
was fitted to all of them is as it should be: allow it then.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import FeaturesAhead

MOST_NAMES = 4


class Limits(Settable):
    nearby: float = 0.5
    """Of the rows: where no change is farther from the cut, it is a window or a shift, else a fit to all rows."""


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
        saw=f"without the rows after row {ahead.cut}, the values of {names}{more} differ {reach}",
        wanted="values of earlier rows that do not change",
        likely=None if near else "a mean, a scale or a rank was computed over all rows, later ones among them",
        do=None if near else "fit on the training rows alone, or over a window that ends at the row",
        numbers={"columns": len(chosen), "farthest": most.farthest},
    )


CHECK = Check(
    id="FL139",
    summary="features of a row depend on rows that come after it",
    causes=("data-leak-future",),
    likely="`shift` with a negative number, a centred window, or filling backwards",
    fix="compute each row from earlier rows alone: `shift(1)`, windows that end at the row, filling forwards",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
