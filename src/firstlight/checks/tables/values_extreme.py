"""A few values lie far outside all others.

## What it sees
Within a sample, the distances of a column's values from their middle, in order: a gap over which they grow many times
at once, with at most one value in twenty beyond it. Values that thin out gradually, however heavy the tail, leave no
such gap.

## When it is fine
Quantities that really are so rare and so large. A marker such as -999 that the model is told about.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TableSeen, few, of_table


class Limits(Settable):
    times_farther: float = 100.0
    """In a Cauchy distribution, the heaviest tail of practice, the largest value is a hundred times the next once in
    a hundred tables."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        apart = column.apart
        if apart is None or column.role not in ("input", "target") or not apart >= limits.times_farther:
            continue
        yield Evidence(
            where=of_table(fact.file, column.name),
            saw=f"{few(column.outermost, 3)} lie {apart:,.0f} times farther from the middle than the next values",
            wanted=f"values less than {limits.times_farther:,.0f} times apart",
            numbers={"apart": apart},
        )


CHECK = Check(
    id="FL1005",
    summary="a few values lie far outside all others",
    causes=("data-outlier",),
    likely="a marker for missing values (-999, 1e9), another unit, or a slip of the comma",
    fix="look at those rows; write markers as missing",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
