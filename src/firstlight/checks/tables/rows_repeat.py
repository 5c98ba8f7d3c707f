"""Rows occur several times in one table.

## What it sees
Rows whose inputs and target equal those of an earlier row, over all rows or a share in which all copies are kept; and
near copies: numbers equal when rounded or far nearer than usual, texts by MinHash, images by small grey pictures.
Columns that number the rows are left aside. Copies that few-valued columns give by chance are taken off.

## When it is fine
Resampling on purpose, or counts written out as rows.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import RepeatedRows, few, of_table


class Limits(Settable):
    copied_share: float = 0.01
    """A stray double entry is usual; one row in a hundred is a process."""


def find(fact: RepeatedRows, limits: Limits) -> Found:
    exact, near = fact.exact / max(1, fact.looked), fact.near / max(1, fact.looked)
    copied = exact * (1.0 - fact.by_chance) >= limits.copied_share
    nearly = near >= limits.copied_share
    if not copied and not nearly:
        return
    told = [f"{exact:.1%} of the rows are copies of earlier ones"] if copied else []
    told += [f"{near:.1%} nearly so"] if nearly else []
    yield Evidence(
        where=of_table(fact.file),
        saw=f"{' and '.join(told)}: {few(fact.pairs, 3)}",
        wanted=f"fewer than {limits.copied_share:.0%}",
        numbers={"exact": fact.exact, "near": fact.near, "looked": fact.looked, "by_chance": fact.by_chance},
    )


CHECK = Check(
    id="FL1006",
    summary="rows occur several times in one table",
    causes=("data-duplicates",),
    likely="files were joined twice, or a join multiplied rows",
    fix="drop the copies before splitting: a copy on the other side of a split is a leak",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
