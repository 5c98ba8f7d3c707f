"""A few values lie far outside all others.

## What it sees
The distances of a column's values from their median, sorted, within a sample: a gap across which the distance grows
many times over, with at most one value in twenty beyond it. Values that thin out gradually, however heavy the tail,
leave no such gap.

## When it is fine
Quantities that really are that rare and that large. A marker such as -999 that the model knows how to handle.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TableSeen, few, of_table


class Limits(Settable):
    times_farther: float = 100.0
    """How many times farther out the values beyond the gap must lie. With a Cauchy distribution, the heaviest tail in
    practice, the largest value is a hundred times the next in one table out of a hundred."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        apart = column.apart
        if apart is None or column.role not in ("input", "target") or not apart >= limits.times_farther:
            continue
        yield Evidence(
            where=of_table(fact.file, column.name),
            saw=f"{few(column.outermost, 3)} lie {apart:,.0f} times farther from the median than the next values",
            wanted=f"values less than {limits.times_farther:,.0f} times as far out as the next",
            numbers={"apart": apart},
        )


CHECK = Check(
    id="FL1005",
    summary="a few values lie far outside all others",
    causes=("data-outlier",),
    likely="a marker for missing values (-999, 1e9), another unit, or a misplaced decimal point",
    fix="look at those rows; write markers as missing values",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
