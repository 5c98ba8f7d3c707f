"""A column of numbers contains a few values that are not numbers.

## What it sees
A column that is read as text although nearly all its values are numbers: the few that are not (`n/a`, `1,5`, a repeated
header) turned the whole column into text.

## When it is fine
Codes that mostly happen to be digits, such as postal codes, which contain letters in a few countries.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TableSeen, few, of_table


class Limits(Settable):
    numeric_share: float = 0.8
    """Smallest share of numbers to report; below it, the column holds text that includes some numbers."""
    least_rows: int = 20
    """Fewest rows; with fewer, it is unclear what is the rule and what the exception."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        share = column.numeric_share
        if share is None or fact.rows < limits.least_rows:
            continue
        if limits.numeric_share <= share < 1.0 and column.strays:
            yield Evidence(
                where=of_table(fact.file, column.name),
                saw=f"{_percent(share)} of its values are numbers; others are {few(column.strays)}",
                wanted="only numbers and missing values",
                numbers={"numeric_share": share},
            )


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.999 else "more than 99.9%"  # noqa: PLR2004 (how it is written, not judged)


CHECK = Check(
    id="FL1004",
    summary="a column of numbers is read as text because of a few values that are not numbers",
    causes=("data-schema",),
    likely="missing values are written as words, numbers use a decimal comma, or a header is repeated",
    fix="leave missing values empty, and write numbers with a decimal point",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
