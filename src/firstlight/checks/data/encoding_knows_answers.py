"""A feature is the mean target of a group of rows, and targets of evaluated rows went into it.

## What it sees
Training rows and evaluated rows are taken together, and rows with the same value of a feature form a group. From that
value and the number of rows in the group, the sum of the group's targets follows up to rounding: the feature is the
mean target of the group, as it is or shrunk towards the overall mean. It fits only if the targets of the evaluated rows
are included, so they went into the feature.

## When it is fine
A mean over training rows alone does not fit the evaluated ones and is not reported, though rows that take part in their
own mean deserve a look. Nor are groups whose sums follow from the number of their rows: where the answer is rare, most
groups have none of it, and each query may have one hit. They fit any values, and are not counted. Another check reports
a feature that is the target itself.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    groups: int = 16
    """Fewest groups of two or more rows that fit with their own value alone; four numbers are fitted to them."""
    evaluated: int = 16
    """Fewest evaluated rows; with fewer, the means may be those of the other rows."""
    exact: float = 0.95
    """Smallest share of the rows, and of the groups, whose mean is the one that the feature says; chance gives a
    hundredth."""
    within: float = 0.1
    """Smallest deviation of the targets within a group, relative to that of all; below it, the feature is the
    target."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, encoded = relations.seen, relations.seen.encoded
    enough = encoded.groups >= limits.groups and encoded.evaluated >= limits.evaluated
    if seen.acting or not enough or not (encoded.exact >= limits.exact and encoded.within >= limits.within):
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"feature {encoded.column} of {encoded.of} is the mean target of {encoded.groups:,} groups of rows, up to "
        f"rounding for {encoded.exact:.0%} of {encoded.rows:,} rows, but only if the targets of the "
        f"{encoded.evaluated:,} evaluated ones are included",
        wanted="means over the targets of training rows alone",
        numbers={"column": encoded.column, "groups": encoded.groups, "exact": encoded.exact, "within": encoded.within},
    )


CHECK = Check(
    id="FL189",
    summary="a feature is the mean target of a group, evaluated rows included",
    causes=("data-leak-target", "data-leak-split"),
    likely="the target was averaged by group (`groupby(…).transform('mean')`, a target encoder) before the split",
    fix="split first; average targets of training rows only, out of fold for those rows themselves, and look up the "
    "rest",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
