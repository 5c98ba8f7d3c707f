"""A column only numbers the rows.

## What it sees
Integers that count the rows, or codes of equal length that each occur only once. Such columns are ignored when rows
are compared.

## When it is fine
Always, as long as the column is not fed to the model, which could only memorise it.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import TableSeen, few, of_table


def find(fact: TableSeen, _limits: NoLimits) -> Found:
    numbered = tuple(f"`{column.name}`" for column in fact.columns if column.numbered)
    if numbered and fact.split == "train":
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{few(numbered)}: a different value in each of {fact.rows:,} rows",
            wanted="input columns whose values recur",
            numbers={"columns": len(numbered)},
        )


CHECK = Check(
    id="FL1003",
    summary="a column only numbers the rows and says nothing about them",
    causes=("data-degenerate",),
    likely="an index or an identifier was written to the table",
    fix="leave the column out of the model's inputs",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
