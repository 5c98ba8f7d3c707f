"""A split differs from the training data.

## What it sees
Columns whose distribution differs by enough to matter, significantly so by a Kolmogorov-Smirnov or χ² test corrected
for the number of columns; a classifier that can tell rows of the two apart, and the columns it uses; classes that occur
only outside the training data. With `--time`, columns that also drift within the training data are only a note.

## When it is fine
Splits by time or place are meant to differ; the warning says by how much.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import SplitDrift, few, of_table

GUESS = 0.5
MOVES = "they change over time, within the training data too"
EXPECT = "expect the score to change over time; differences or ratios of values may be more stable"


class Limits(Settable):
    distance: float = 0.2
    """Smallest distance between the distributions to report: at 0.2 they still share four fifths, and smaller
    differences rarely move a score."""
    q: float = 0.001
    """Highest corrected probability that the difference arose by chance; a healthy pair of splits is reported once in a
    thousand times."""
    told_apart: float = 0.75
    """How often the classifier must rank a row of the split above one of the training data; 0.5 is guessing."""
    moving: float = 0.5
    """Share of a difference that the two halves of the training data must show as well for it to be only a note: what
    drifted before the split goes on drifting after it."""


def find(fact: SplitDrift, limits: Limits) -> Found:
    far = [one for one in fact.columns if one.distance >= limits.distance and one.q <= limits.q]
    if far:
        moving = all(one.within >= limits.moving * one.distance for one in far)
        columns = tuple(f"`{one.name}` ({one.saw}; distance {one.distance:.2f})" for one in far)
        yield Evidence(
            where=of_table(fact.file, far[0].name),
            saw=f"{len(far)} column{'s are' if len(far) > 1 else ' is'} distributed differently than in training: "
            f"{few(columns, 3)}",
            wanted=f"distances below {limits.distance:g}",
            severity=Severity.NOTE if moving else None,
            likely=MOVES if moving else None,
            do=EXPECT if moving else None,
            numbers={one.name: one.distance for one in far[:5]},
        )
    elif fact.told_apart >= limits.told_apart:
        moving = fact.within - GUESS >= limits.moving * (fact.told_apart - GUESS)
        yield Evidence(
            where=of_table(fact.file),
            saw=f"a classifier tells its rows from training rows {fact.told_apart:.0%} of the time, by "
            f"{few(fact.by, 3)}",
            wanted=f"less than {limits.told_apart:.0%} of the time",
            severity=Severity.NOTE if moving else None,
            likely=MOVES if moving else None,
            do=EXPECT if moving else None,
            numbers={"told_apart": fact.told_apart},
        )
    if fact.unseen:
        yield Evidence(
            where=of_table(fact.file),
            saw=f"classes that are not in the training data: {few(fact.unseen)}",
            wanted="only classes that occur in training",
            cause="data-label-range",
            numbers={"unseen": len(fact.unseen)},
        )


CHECK = Check(
    id="FL1017",
    summary="a split differs from the training data",
    causes=("data-split-shift", "data-label-range"),
    likely="the splits were prepared differently, or come from different times or places",
    fix="prepare both with the same code; if they are meant to differ, expect different scores",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
