"""Inputs and answers of a dataset are listed in different orders, such as names of files as text and rows by number.

## What it sees
Examples of the dataset that are alike have hardly more alike answers than any two, and would have those of another row:
of the one that they come to where numbers are sorted as text (1, 10, 100, 2) and the answers count, or the other way
round, or where one of the two is reversed.

## When it is fine
Where a plain fit foretells the answers as they are, nothing is said, nor where none of the orders fits.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    certain: float = 10.0
    """Deviations from which on likeness is no luck, several orders having been tried."""
    times: float = 5.0
    """The deviations that answers show as they are; rows that stand in blocks keep some of them in any order."""
    foretold: float = 0.5
    """Skill of a plain fit, from which on answers do belong to their examples; 1 is never wrong."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, found = relations.seen, relations.seen.reordered
    if seen.acting or not seen.skills.plain < limits.foretold:
        return
    if not (found.order_deviations >= limits.certain and found.order_deviations >= limits.times * found.deviations):
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"examples of the dataset that are alike have hardly more alike answers than any two "
        f"({found.deviations:.1f} deviations from chance), and would have ({found.order_deviations:.0f}) "
        f"if {found.order}",
        wanted="like answers for examples that are alike",
        numbers={"deviations": found.deviations, "order_deviations": found.order_deviations},
    )


CHECK = Check(
    id="FL195",
    summary="inputs and answers are listed in different orders",
    causes=("data-label-misaligned",),
    likely="names of files are sorted as text, and the answers stand beside them by number",
    fix="take the name of each file from the row of the table that holds its answer; sort neither",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
