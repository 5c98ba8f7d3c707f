"""The inputs and targets of a row do not belong together.

## What it sees
A random forest learns no more about the target from the inputs of the same row than from permuted targets, but does
learn from the inputs of a nearby row: one of the two was shifted. If no offset helps either, that is a note: there may
be nothing to learn, or inputs and targets were shuffled separately.

## When it is fine
Forecasts, whose target is a later value of an input; they are recognised and not reported. Pure noise, which nothing
can predict.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TargetFit, of_table


class Limits(Settable):
    unrelated_skill: float = 0.03
    """Skill above that for permuted targets that still counts as no relation; on a few thousand rows of noise, a
    forest stays within it."""
    noise: float = 2.5
    """Further skill that chance alone can give, multiplied by the square root of the number of rows; it is added to
    `unrelated_skill`."""
    shifted_skill: float = 0.3
    """Least skill at another offset, and least gain over the row's own; a mere trend in the rows, which helps at every
    offset, stays below."""
    least_rows: int = 200
    """Fewest rows; with fewer, a weak relation cannot be told from none."""


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
            saw=f"a skill of {fact.skill:.2f} on the row's own target, but {best:.2f} on the target of row {offset:+d}",
            wanted="the highest skill on the row's own target",
            numbers={"skill": fact.skill, "shifted": best, "offset": offset},
        )
    elif not fact.forecast:
        yield Evidence(
            where=of_table(fact.file, fact.target),
            saw=f"a skill of {fact.skill:.2f}; permuted targets give {fact.without:.2f}",
            wanted=f"a skill of more than {related:.2f}, if the inputs say anything about the target",
            severity=Severity.NOTE,
            confidence=0.3,
            likely="there is nothing to learn from these columns, or inputs and targets were shuffled apart",
            do="look at a few rows to see whether inputs and target belong together",
            numbers={"skill": fact.skill, "without": fact.without},
        )


CHECK = Check(
    id="FL1009",
    summary="the inputs and target of a row do not belong together",
    causes=("data-label-misaligned",),
    likely="one file has an extra header or row, or a column was shifted",
    fix="join inputs and targets by a key instead of by position",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
