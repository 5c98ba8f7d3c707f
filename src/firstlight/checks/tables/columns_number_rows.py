"""A column only numbers the rows.

## What it sees
Whole numbers that count the rows, or codes of one length of which each occurs once. Such columns are left aside when
rows are compared.

## When it is fine
Always, as long as the column is not fed to the model: there it can only be learnt by heart.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import TableSeen, few, of_table


def find(fact: TableSeen, _limits: NoLimits) -> Found:
    numbered = tuple(f"`{column.name}`" for column in fact.columns if column.numbered)
    if numbered and fact.split == "train":
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{few(numbered)}: another value in each of {fact.rows:,} rows",
            wanted="inputs whose values come again",
            numbers={"columns": len(numbered)},
        )


CHECK = Check(
    id="FL1003",
    summary="a column numbers the rows and says nothing about them",
    causes=("data-degenerate",),
    likely="an index or an identifier was written to the table",
    fix="leave it out of what the model is fed",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
