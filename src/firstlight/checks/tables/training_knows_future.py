"""Training rows are not earlier than what is evaluated.

## What it sees
Rows of the training data whose time is at or after the first of another split.

## When it is fine
Rows that have nothing to do with one another, whose time is only noted.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import SharedTimes, of_table


class Limits(Settable):
    later_share: float = 0.01
    """A few rows at the border may share its hour."""


def find(fact: SharedTimes, limits: Limits) -> Found:
    if fact.later_share >= limits.later_share:
        yield Evidence(
            where=of_table(fact.file, fact.column),
            saw=f"{fact.later_share:.1%} of the training rows are not before {fact.first}, where {fact.split} begins; "
            f"the latest is of {fact.latest_trained}",
            wanted=f"training rows before {fact.first}",
            numbers={"later_share": fact.later_share},
        )


CHECK = Check(
    id="FL1016",
    summary="training rows are not earlier than what is evaluated",
    causes=("data-leak-future",),
    likely="rows of a time series were split at random",
    fix="split at a moment, and leave out the rows just before it",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
