"""A column of numbers holds a few words.

## What it sees
A column that is read as text although nearly all its values are written as numbers: what is not (`n/a`, `1,5`, a
second header) made text of all of them.

## When it is fine
Codes that happen to be digits, such as post codes with letters in a few countries.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TableSeen, few, of_table


class Limits(Settable):
    numeric_share: float = 0.8
    """Below, it is a column of words that holds some numbers."""
    least_rows: int = 20
    """Fewer values show no rule and no exception."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        share = column.numeric_share
        if share is None or fact.rows < limits.least_rows:
            continue
        if limits.numeric_share <= share < 1.0 and column.strays:
            yield Evidence(
                where=of_table(fact.file, column.name),
                saw=f"{_percent(share)} of its values are numbers; others are {few(column.strays)}",
                wanted="numbers alone, or missing values",
                numbers={"numeric_share": share},
            )


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.999 else "more than 99.9%"  # noqa: PLR2004 (how it is written, not judged)


CHECK = Check(
    id="FL1004",
    summary="a column of numbers holds a few words, and is text because of them",
    causes=("data-schema",),
    likely="missing values are written as words, numbers with a comma, or a header was repeated",
    fix="write such values as empty, and the numbers with a point",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
