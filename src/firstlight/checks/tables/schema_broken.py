"""A table does not match its schema.

## What it sees
A table compared with a schema written by `firstlight data profile`: columns that are missing or of another kind, values
out of range or never seen before, too many missing values, too few rows, relations between columns that no longer hold.
Without a schema, the other splits are compared with the training data: they must have the same columns of the same
kinds.

## When it is fine
The data that was profiled was too small to show everything that is possible: edit the schema.
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
    summary="a table does not match its schema",
    causes=("data-schema",),
    likely="the source changed, or a preprocessing step was skipped",
    fix="look at where the column is computed; if the change is intended, profile again",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
