"""A feature is the mean answer of a group of rows, and answers of evaluated rows went into it.

## What it sees
Training rows together with the evaluated ones. Rows that have the same value of a feature are a group, and the sum of a
group's answers follows from that value and the number of its rows, to rounding: the feature is the group's mean answer,
as it is or drawn towards that of all. It fits only with the answers of the evaluated rows, so those went into it.

## When it is fine
A mean over training rows alone does not fit the evaluated ones and is not told, though rows that take part in their own
mean are worth a look. A feature that is the answer itself is told elsewhere.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    groups: int = 16
    """Of two rows and more: four numbers are fitted to them."""
    evaluated: int = 16
    """Rows; of fewer, the means may be of the others."""
    exact: float = 0.95
    """Of the rows, whose group has the mean that the feature says. Chance gives a hundredth."""
    within: float = 0.1
    """Deviation of the answers within a group, at least, in that of all: less, and the feature is the answer."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, encoded = relations.seen, relations.seen.encoded
    enough = encoded.groups >= limits.groups and encoded.evaluated >= limits.evaluated
    if seen.acting or not enough or not (encoded.exact >= limits.exact and encoded.within >= limits.within):
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"feature {encoded.column} of {encoded.of} is the mean answer of {encoded.groups:,} groups of rows, to "
        f"rounding for {encoded.exact:.0%} of {encoded.rows:,} rows, and only with the answers of the "
        f"{encoded.evaluated:,} evaluated ones",
        wanted="means over the answers of training rows alone",
        numbers={"column": encoded.column, "groups": encoded.groups, "exact": encoded.exact, "within": encoded.within},
    )


CHECK = Check(
    id="FL189",
    summary="a feature is the mean answer of a group, evaluated rows included",
    causes=("data-leak-target", "data-leak-split"),
    likely="the target was averaged by group (`groupby(…).transform('mean')`, a target encoder) before the split",
    fix="split first; average answers of training rows alone, for each row those of other folds, and look up the rest",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
