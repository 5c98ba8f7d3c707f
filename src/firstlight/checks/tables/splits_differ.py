"""A split is unlike the training data.

## What it sees
Columns whose distribution differs, by Kolmogorov and Smirnov's test or χ², corrected for the number of columns, and
by so much that it matters; a classifier that tells rows of the two apart, and the columns it goes by; classes that
only occur outside the training data. With `--time`, what moves within the training data too is a note.

## When it is fine
Splits by time or place, which are meant to differ: the warning says by how much.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import SplitDrift, few, of_table

GUESS = 0.5
MOVES = "they change with time, within the training data too"
EXPECT = "expect the score to change with time; differences or ratios of values may stay alike"


class Limits(Settable):
    distance: float = 0.2
    """Of distributions that share four fifths; smaller differences rarely move a score."""
    q: float = 0.001
    """Probability by chance, corrected: told of a healthy pair once in a thousand times."""
    told_apart: float = 0.75
    """How often a row of the split is ranked above one of training; 0.5 is a guess."""
    moving: float = 0.5
    """Of a difference, the share that the halves of the training data show by themselves: what changed before the
    split goes on changing after it."""


def find(fact: SplitDrift, limits: Limits) -> Found:
    far = [one for one in fact.columns if one.distance >= limits.distance and one.q <= limits.q]
    if far:
        moving = all(one.within >= limits.moving * one.distance for one in far)
        columns = tuple(f"`{one.name}` ({one.saw}; distance {one.distance:.2f})" for one in far)
        yield Evidence(
            where=of_table(fact.file, far[0].name),
            saw=f"{len(far)} column{'s are' if len(far) > 1 else ' is'} distributed otherwise than in training: "
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
            saw=f"a classifier tells its rows from those of training {fact.told_apart:.0%} of the time, by "
            f"{few(fact.by, 3)}",
            wanted=f"less than {limits.told_apart:.0%}",
            severity=Severity.NOTE if moving else None,
            likely=MOVES if moving else None,
            do=EXPECT if moving else None,
            numbers={"told_apart": fact.told_apart},
        )
    if fact.unseen:
        yield Evidence(
            where=of_table(fact.file),
            saw=f"classes that are not in the training data: {few(fact.unseen)}",
            wanted="classes that were trained on",
            cause="data-label-range",
            numbers={"unseen": len(fact.unseen)},
        )


CHECK = Check(
    id="FL1017",
    summary="a split is unlike the training data",
    causes=("data-split-shift", "data-label-range"),
    likely="the splits were prepared differently, or come from another time or place",
    fix="prepare both with the same code; if they are meant to differ, expect the score to",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
