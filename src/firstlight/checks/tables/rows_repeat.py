"""Rows occur more than once in a table.

## What it sees
Rows whose inputs and target equal those of an earlier row, among all rows or in a sample that keeps all copies of each
row; and near copies: numbers that are equal when rounded or much closer than usual, texts by MinHash, images by small
greyscale thumbnails. Columns that number the rows are ignored. Copies expected by chance, because the columns have few
distinct values, are discounted.

## When it is fine
Deliberate resampling, or counts written out as repeated rows.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import RepeatedRows, few, of_table


class Limits(Settable):
    copied_share: float = 0.01
    """Smallest share of copied rows to report; a stray duplicate is common, one row in a hundred is systematic."""


def find(fact: RepeatedRows, limits: Limits) -> Found:
    exact, near = fact.exact / max(1, fact.looked), fact.near / max(1, fact.looked)
    copied = exact * (1.0 - fact.by_chance) >= limits.copied_share
    nearly = near >= limits.copied_share
    if not copied and not nearly:
        return
    told = [f"{exact:.1%} of the rows are copies of earlier ones"] if copied else []
    told += [f"{near:.1%} are near copies"] if nearly else []
    yield Evidence(
        where=of_table(fact.file),
        saw=f"{' and '.join(told)}: {few(fact.pairs, 3)}",
        wanted=f"copies in fewer than {limits.copied_share:.0%} of the rows",
        numbers={"exact": fact.exact, "near": fact.near, "looked": fact.looked, "by_chance": fact.by_chance},
    )


CHECK = Check(
    id="FL1006",
    summary="rows occur more than once in a table",
    causes=("data-duplicates",),
    likely="files were concatenated twice, or a join multiplied rows",
    fix="drop the copies before splitting: a copy on the other side of a split is a leak",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
