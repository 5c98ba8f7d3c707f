"""A column holds infinite values, or the target is missing.

## What it sees
Infinities in any column, with the first row that has one. Missing values, or NaN, in the target. Over all rows.

## When it is fine
Targets that are missing on purpose, as in semi-supervised training: leave this check out there.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import TableSeen, of_table


def find(fact: TableSeen, _limits: NoLimits) -> Found:
    for column in fact.columns:
        where = of_table(fact.file, column.name)
        if column.infinite:
            yield Evidence(
                where=where,
                saw=f"infinite in {column.infinite:,} of {fact.rows:,} rows, the first of them {column.first_infinite}",
                wanted="finite values",
                numbers={"infinite": column.infinite, "rows": fact.rows},
            )
        if column.role == "target" and column.missing:
            yield Evidence(
                where=where,
                saw=f"the target is missing in {column.missing:,} of {fact.rows:,} rows",
                wanted="a target in every row",
                do="drop those rows, or find out why they have none",
                numbers={"missing": column.missing, "rows": fact.rows},
            )


CHECK = Check(
    id="FL1001",
    summary="a column holds infinite values, or the target is missing",
    causes=("data-nonfinite",),
    likely="a division by zero, or a logarithm of zero, on the way into the table",
    fix="find the rows, and mend what computed them",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
