"""Features never change, or duplicate one another.

## What it sees
Over all training batches looked at, a column has a single value, or equals another column in every row. If every column
of the only input is constant, the inputs tell the model nothing at all.

## When it is fine
A few constant columns do no harm: borders of images, rare categories. Single columns are looked at in tables only, and
give a note. Flags and one-hot codes (only 0, 1 and -1) are not reported, because a category that never occurred is a
constant column. Games with nothing to observe, and models that start from a learned constant, have no targets that
differ between examples and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Columns, FeedSeen

TABLE = 2
"""Number of dimensions of a batch of feature rows."""


class Limits(Settable):
    rows: int = 64
    """Fewest rows; with fewer, a rare feature may not have varied yet."""
    targets: int = 4
    """Fewest steps whose targets differ between examples, so that there is something to tell apart."""
    columns: int = 256
    """Most columns; wider inputs are pixels or embeddings, where constant ones are usual."""


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
        return f"all {given.rows:,} rows have the same value in each of its {given.columns} columns"
    parts = []
    if given.constant:
        named = ", ".join(map(str, given.first_constant))
        parts.append(f"{given.constant} of {given.columns} columns never change ({named})")
    if given.twins:
        named = ", ".join(f"{b} equals {a}" for a, b in given.first_twins)
        parts.append(f"{given.twins} of {given.columns} columns duplicate another ({named})")
    return "; ".join(parts)


CHECK = Check(
    id="FL153",
    summary="features never change or duplicate one another",
    causes=("data-degenerate",),
    likely="a conversion lost the values (an integer cast, dividing twice), or a join duplicated a column",
    fix="print the standard deviation of each column before and after every preprocessing step",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
