"""Some training rows are not earlier than the rows used for evaluation.

## What it sees
Training rows whose time is at or after the earliest time in another split.

## When it is fine
Rows that are independent of one another, and whose time is merely recorded.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import SharedTimes, of_table


class Limits(Settable):
    later_share: float = 0.01
    """Smallest share of such training rows to report; a few rows at the boundary may share its timestamp."""


def find(fact: SharedTimes, limits: Limits) -> Found:
    if fact.later_share >= limits.later_share:
        yield Evidence(
            where=of_table(fact.file, fact.column),
            saw=f"{fact.later_share:.1%} of the training rows are not before {fact.first}, where {fact.split} begins; "
            f"the latest is from {fact.latest_trained}",
            wanted=f"only training rows before {fact.first}",
            numbers={"later_share": fact.later_share},
        )


CHECK = Check(
    id="FL1016",
    summary="some training rows are not earlier than the rows used for evaluation",
    causes=("data-leak-future",),
    likely="rows of a time series were split at random",
    fix="split at one point in time, and leave out the rows just before it",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
