"""Features that never change, or repeat another.

## What it sees
Over all training batches looked at, a column has one value alone or equals another column in every row. Where every
column of the only input is constant, the inputs tell the model nothing at all.

## When it is fine
A few constant columns do no harm: borders of images, categories that are rare. Tables alone are looked at for single
columns, and it is a note; of flags and one-hot codes (0, 1 and -1 alone) nothing is said, where a place that was never
visited is a column at rest. Games without anything to see, and models that start from a learned constant, have no
targets that differ between examples and are not called ill.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Columns, FeedSeen

TABLE = 2
"""Dimensions of a batch of feature rows."""


class Limits(Settable):
    rows: int = 64
    """Fewer may have a rare feature at rest."""
    targets: int = 4
    """Steps whose targets differ between examples: there is something to be told apart."""
    columns: int = 256
    """Wider inputs are pixels or embeddings, where constant ones are usual."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for fed in feed.inputs:
        given = fed.train
        if given.rows < limits.rows:
            continue
        everything = given.constant == given.columns and feed.tensors == 1 and feed.echo.varied >= limits.targets
        if everything or (len(given.shape) == TABLE and given.columns <= limits.columns and _redundant(given)):
            yield Evidence(
                where=at(feed.site, module=feed.name, rank=feed.rank),
                saw=f"`{given.name}`: {_told(given, everything)}",
                wanted="columns that tell the examples apart",
                severity=Severity.ERROR if everything else Severity.NOTE,
                numbers={"constant": given.constant, "twins": given.twins, "columns": given.columns},
            )


def _redundant(given: Columns) -> bool:
    beyond_a_code = not given.whole or given.low < -1 or given.high > 1
    return given.constant + given.twins > 0 and beyond_a_code


def _told(given: Columns, everything: bool) -> str:
    if everything:
        return f"every value of {given.rows:,} rows is the same in each of its {given.columns} columns"
    parts = []
    if given.constant:
        named = ", ".join(map(str, given.first_constant))
        parts.append(f"{given.constant} of {given.columns} columns never change ({named})")
    if given.twins:
        named = ", ".join(f"{b} equals {a}" for a, b in given.first_twins)
        parts.append(f"{given.twins} of {given.columns} columns repeat another ({named})")
    return "; ".join(parts)


CHECK = Check(
    id="FL153",
    summary="features never change or repeat another",
    causes=("data-degenerate",),
    likely="a conversion lost the values (an integer cast, a second division), or a join repeated a column",
    fix="print the deviation of each column before and after every step of the preparation",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
