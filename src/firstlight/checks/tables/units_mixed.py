"""A column holds values in two units.

## What it sees
The values of a column form two clusters, with a gap between them that is wider than either. The clusters have the same
shape and differ by a factor between two units: 100 for centimetres among metres, 1000 for milliseconds among seconds.

## When it is fine
Two kinds of things whose sizes happen to differ by such a factor.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TableSeen, few, of_table


class Limits(Settable):
    least_share: float = 0.005
    """Smallest share of the values in the smaller cluster; fewer are single slips."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        if column.unit_factor is None or column.role not in ("input", "target"):
            continue
        if not column.unit_share >= limits.least_share:
            continue
        yield Evidence(
            where=of_table(fact.file, column.name),
            saw=f"{column.unit_share:.1%} of its values, such as {few(column.unit_examples, 3)}, differ from the "
            f"others by a factor of {column.unit_factor:,.6g}",
            wanted="one unit per column",
            numbers={"factor": column.unit_factor, "share": column.unit_share},
        )


CHECK = Check(
    id="FL1099",
    summary="a column holds values in two units",
    causes=("data-scale",),
    likely="data from two sources was merged, with units such as centimetres and metres, or seconds and milliseconds",
    fix="convert the smaller group of values by that factor",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
