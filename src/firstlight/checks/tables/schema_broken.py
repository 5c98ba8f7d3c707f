"""A table is not as its schema says.

## What it sees
A table beside a file of `firstlight data profile`: columns that are absent or of another kind, values out of range or
never seen, too many missing, too few rows, relations between columns that no longer hold. Without such a file, other
splits beside the training data: the same columns of the same kinds.

## When it is fine
The good data were too few to show what is possible: edit the schema.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import SchemaHeld, of_table


def find(fact: SchemaHeld, _limits: NoLimits) -> Found:
    for breach in fact.breaches:
        rows = f" (rows {', '.join(map(str, breach.rows))})" if breach.rows else ""
        yield Evidence(
            where=of_table(fact.file, breach.column or None),
            saw=f"{breach.saw}{rows}" or "it differs",
            wanted=f"{breach.wanted}, as in {fact.schema}",
            numbers={"column": breach.column},
        )


CHECK = Check(
    id="FL1018",
    summary="a table is not as its schema says",
    causes=("data-schema",),
    likely="the source changed, or a step of the preparation was left out",
    fix="look at the column where it is made; if the change is meant, profile again",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
