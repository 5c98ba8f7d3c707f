"""Inputs and labels of a dataset are listed in different orders, such as file names as text and rows by number.

## What it sees
Similar examples of the dataset have hardly more similar labels than any two, but would with the labels of another row.
That row is the one to expect if the numbers on one side are sorted as text (1, 10, 100, 2) while the other side counts,
or if one of the two is reversed.

## When it is fine
If a simple fit predicts the labels as they are, nothing is reported, nor if none of these orders fits.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    certain: float = 10.0
    """Fewest standard deviations from chance for an order to fit; several orders are tried."""
    times: float = 5.0
    """Smallest ratio of those to the deviations of the labels as they are; rows in blocks keep some in any order."""
    foretold: float = 0.5
    """Skill of a simple fit from which on the labels count as belonging to their examples; 1 is never wrong."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, found = relations.seen, relations.seen.reordered
    if seen.acting or not seen.skills.plain < limits.foretold:
        return
    if not (found.order_deviations >= limits.certain and found.order_deviations >= limits.times * found.deviations):
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"similar examples of the dataset have hardly more similar labels than any two "
        f"({found.deviations:.1f} standard deviations from chance), but would ({found.order_deviations:.0f}) "
        f"on the assumption that {found.order}",
        wanted="similar labels for similar examples",
        numbers={"deviations": found.deviations, "order_deviations": found.order_deviations},
    )


CHECK = Check(
    id="FL195",
    summary="inputs and labels are listed in different orders",
    causes=("data-label-misaligned",),
    likely="file names are sorted as text, while the labels are listed by number",
    fix="take the name of each file from the row of the table that holds its label; sort neither",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
