"""Equal inputs have different targets.

## What it sees
Rows whose inputs are equal, value for value, and whose targets are not. Rows that are equal by chance, because
columns have few values, are taken off.

## When it is fine
Targets that are random by nature (several annotators, repeated measurements): the inputs cannot say more.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import RepeatedRows, few, of_table


class Limits(Settable):
    disagreeing_share: float = 0.01
    """Single slips of an annotator are usual."""


def find(fact: RepeatedRows, limits: Limits) -> Found:
    if fact.disagreeing is None:
        return
    share = fact.disagreeing / max(1, fact.looked)
    if share * (1.0 - fact.by_chance) >= limits.disagreeing_share:
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.disagreeing:,} of {fact.looked:,} rows have the inputs of another row and another target: "
            f"{few(fact.disagreements, 3)}",
            wanted=f"fewer than {limits.disagreeing_share:.0%} of the rows",
            numbers={"disagreeing": fact.disagreeing, "looked": fact.looked},
        )


CHECK = Check(
    id="FL1007",
    summary="equal inputs have different targets",
    causes=("data-label-noise", "data-duplicates"),
    likely="labels of two sources were put together, or the column that tells such rows apart was dropped",
    fix="look at a pair: restore what tells them apart, or decide for one target",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
