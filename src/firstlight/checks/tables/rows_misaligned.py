"""Inputs and targets of a row do not belong together.

## What it sees
A forest learns nothing of the target from the inputs of the same row, beyond what it learns with targets permuted,
but does from the inputs of a row nearby: one of the two was shifted. Where no offset helps either, that is said as a
note: there may be nothing to learn, or rows were shuffled apart.

## When it is fine
A forecast, where the target is a later value of an input: recognised, and not told. Noise that nobody can predict.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TargetFit, of_table


class Limits(Settable):
    unrelated_skill: float = 0.03
    """Above what permuted targets give: a forest on a few thousand rows of noise stays within."""
    noise: float = 2.5
    """Divided by the root of the number of rows: what chance alone gives to a score of classes."""
    shifted_skill: float = 0.3
    """What a mere trend in the rows can give at every offset stays below."""
    least_rows: int = 200
    """With fewer, a weak relation is not told from none."""


def find(fact: TargetFit, limits: Limits) -> Found:
    if fact.rows < limits.least_rows:
        return
    related = fact.without + limits.unrelated_skill + limits.noise / math.sqrt(fact.rows)
    if not fact.skill <= related:
        return
    offset = max(fact.shifted, key=lambda each: fact.shifted[each], default=0)
    best = fact.shifted.get(offset, 0.0)
    if best >= max(limits.shifted_skill, fact.skill + limits.shifted_skill) and not fact.forecast:
        yield Evidence(
            where=of_table(fact.file, fact.target),
            saw=f"a skill of {fact.skill:.2f} on the row's own target, of {best:.2f} on that of the row {offset:+d}",
            wanted="the most skill on the row's own target",
            numbers={"skill": fact.skill, "shifted": best, "offset": offset},
        )
    elif not fact.forecast:
        yield Evidence(
            where=of_table(fact.file, fact.target),
            saw=f"a skill of {fact.skill:.2f}, where permuted targets give {fact.without:.2f}",
            wanted=f"more than {related:.2f}, if the inputs say anything",
            severity=Severity.NOTE,
            confidence=0.3,
            likely="there is nothing to learn from these columns, or inputs and targets were shuffled apart",
            do="look at a few rows: do inputs and target belong together?",
            numbers={"skill": fact.skill, "without": fact.without},
        )


CHECK = Check(
    id="FL1009",
    summary="inputs and target of a row do not go together",
    causes=("data-label-misaligned",),
    likely="one file has a header or a row more than the other, or a column was shifted",
    fix="join inputs and targets by a key instead of by position",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
