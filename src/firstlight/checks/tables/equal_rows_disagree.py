"""Rows with equal inputs have different targets.

## What it sees
Rows whose inputs are equal, value for value, but whose targets differ. Matches expected by chance, because the columns
have few distinct values, are discounted.

## When it is fine
Targets that are random by nature (several annotators, repeated measurements): the inputs cannot determine them.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import RepeatedRows, few, of_table


class Limits(Settable):
    disagreeing_share: float = 0.01
    """Share of rows that disagree from which on this is reported; single slips of an annotator are common."""


def find(fact: RepeatedRows, limits: Limits) -> Found:
    if fact.disagreeing is None:
        return
    share = fact.disagreeing / max(1, fact.looked)
    if share * (1.0 - fact.by_chance) >= limits.disagreeing_share:
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.disagreeing:,} of {fact.looked:,} rows have the inputs of another row, but a different target: "
            f"{few(fact.disagreements, 3)}",
            wanted=f"fewer than {limits.disagreeing_share:.0%} of the rows, beyond what chance gives",
            numbers={"disagreeing": fact.disagreeing, "looked": fact.looked},
        )


CHECK = Check(
    id="FL1007",
    summary="rows with equal inputs have different targets",
    causes=("data-label-noise", "data-duplicates"),
    likely="labels from two sources were merged, or the column that tells such rows apart was dropped",
    fix="look at one such pair: restore what tells the rows apart, or decide on one target",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
