"""The same group is trained and evaluated on.

## What it sees
Values of the column named as group that occur in the training data and in another split.

## When it is fine
Forecasts for known users, where the split is by time.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import SharedGroups, few, of_table


def find(fact: SharedGroups, _limits: NoLimits) -> Found:
    if fact.shared:
        yield Evidence(
            where=of_table(fact.file, fact.column),
            saw=f"{fact.shared:,} of {fact.groups:,} groups are in the training data too: {few(fact.examples, 3)}",
            wanted="groups that were not trained on",
            numbers={"shared": fact.shared, "groups": fact.groups},
        )


CHECK = Check(
    id="FL1015",
    summary="the same group is trained and evaluated on",
    causes=("data-leak-split",),
    likely="rows were split at random although several belong to one group",
    fix="split by group, as `GroupShuffleSplit` does",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
