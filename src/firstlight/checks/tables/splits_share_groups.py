"""The same groups are used for training and evaluation.

## What it sees
Values of the declared group column that occur both in the training data and in another split.

## When it is fine
Forecasts for known users, if the data is split by time.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.tables import SharedGroups, few, of_table


def find(fact: SharedGroups, _limits: NoLimits) -> Found:
    if fact.shared:
        yield Evidence(
            where=of_table(fact.file, fact.column),
            saw=f"{fact.shared:,} of {fact.groups:,} groups are also in the training data: {few(fact.examples, 3)}",
            wanted="only groups that were not trained on",
            numbers={"shared": fact.shared, "groups": fact.groups},
        )


CHECK = Check(
    id="FL1015",
    summary="the same groups are used for training and evaluation",
    causes=("data-leak-split",),
    likely="rows were split at random although several belong to the same group",
    fix="split by group, as `GroupShuffleSplit` does",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
