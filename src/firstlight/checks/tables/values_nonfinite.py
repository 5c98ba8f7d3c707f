"""A column contains infinite values, or target values are missing.

## What it sees
Infinities in any column, with the first row that has one, and missing values or NaN in the target. All rows are
examined.

## When it is fine
Targets that are missing on purpose, as in semi-supervised training: ignore this check there.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import TableSeen, of_table


def find(fact: TableSeen, _limits: NoLimits) -> Found:
    for column in fact.columns:
        where = of_table(fact.file, column.name)
        if column.infinite:
            yield Evidence(
                where=where,
                saw=f"infinite in {column.infinite:,} of {fact.rows:,} rows, first in row {column.first_infinite}",
                wanted="finite values in every row",
                numbers={"infinite": column.infinite, "rows": fact.rows},
            )
        if column.role == "target" and column.missing:
            yield Evidence(
                where=where,
                saw=f"the target is missing in {column.missing:,} of {fact.rows:,} rows",
                wanted="a target in every row",
                do="drop those rows, or find out why their target is missing",
                numbers={"missing": column.missing, "rows": fact.rows},
            )


CHECK = Check(
    id="FL1001",
    summary="a column contains infinite values, or target values are missing",
    causes=("data-nonfinite",),
    likely="a division by zero or the logarithm of zero on the way into the table",
    fix="find the rows, and fix the code that computed them",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
