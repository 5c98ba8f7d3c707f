"""Rows used for evaluation were also trained on.

## What it sees
Rows of the validation or test data whose inputs equal those of a training row, or nearly do: numbers that are equal
when rounded or much closer than usual, texts by MinHash, images by small greyscale thumbnails. Columns that number the
rows are ignored; copies expected by chance, because the columns have few distinct values, are discounted.

## When it is fine
Deliberately evaluating on the training data, to see whether it can be learned at all.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import SharedRows, few, of_table


class Limits(Settable):
    shared_share: float = 0.01
    """Share of exact copies from which on this is an error. Fewer copies, and near copies, are a warning: they hardly
    move the score, or are intended."""


def find(fact: SharedRows, limits: Limits) -> Found:
    looked = max(1, fact.looked)
    exact, near = fact.exact / looked, fact.near / looked
    copied = exact * (1.0 - fact.by_chance)
    if not copied * looked >= 1.0 and not near >= limits.shared_share:
        return
    grave = copied >= limits.shared_share
    yield Evidence(
        where=of_table(fact.file),
        saw=f"{_percent(exact)} of its rows also occur in {fact.train_file}, and {_percent(near)} nearly so: "
        f"{few(fact.pairs, 3)}",
        wanted="only rows that were not trained on",
        severity=None if grave else Severity.WARNING,
        confidence=None if grave else 0.7,
        numbers={"exact": fact.exact, "near": fact.near, "looked": fact.looked, "by_chance": fact.by_chance},
    )


def _percent(share: float) -> str:
    return f"{share:.2%}" if share else "none"


CHECK = Check(
    id="FL1014",
    summary="rows used for evaluation were also trained on",
    causes=("data-leak-split",),
    likely="rows were duplicated before the split, or the split was drawn twice",
    fix="drop duplicates first and split once, then keep the splits in files",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
