"""The target is one of the features.

## What it sees
At every step looked at, a column of the inputs equals the target of the same rows, or is a linear function of it. The
model only has to copy it, and will have nothing to copy when it is used.

## When it is fine
A toy whose target is a linear function of its only feature is not reported, nor are models that reconstruct their
input. A copying task on purpose looks the same; allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    steps: int = 4
    """Fewest steps, each of at least eight rows; by chance it does not happen so often."""
    columns: int = 3
    """Most columns that are named; where more fit, they are lags of one series or one-hot codes of the label."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    echo = feed.echo
    if not echo.columns or echo.compared < limits.steps:
        return
    shown = ", ".join(map(str, echo.columns[: limits.columns]))
    how = "equals the target" if echo.exact else "is a linear function of the target"
    yield Evidence(
        where=at(feed.site, module=feed.name, rank=feed.rank),
        saw=f"column {shown} of {echo.of} {how} at all {echo.compared} steps looked at",
        wanted="inputs that do not contain the target",
        numbers={"column": echo.columns[0], "compared": echo.compared},
    )


CHECK = Check(
    id="FL154",
    summary="the target is one of the features",
    causes=("data-leak-target",),
    likely="the target column was not dropped from the table, or a feature is computed from it",
    fix="drop the column by name before the features are computed, and train again: an honest score will be lower",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
