"""Some of the examples are on a different scale from the rest.

## What it sees
The sizes of the values in each column of a table, or in whole examples, over a sample of the training data: they fall
into two groups with a wide gap between them. Some rows are in another unit, were not divided, or were divided twice; or
single ones are corrupt. The same is checked for numeric targets.

## When it is fine
Quantities that come in two kinds by nature, such as a marker value for "unknown" that the model knows about.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Pocket, Relations

ANSWER = "answer"


class Limits(Settable):
    gap: float = 20.0
    """Smallest ratio between the two groups; sizes of one quantity have no such gap."""
    rows: int = 5
    """Fewest rows in the smaller group; a single value so far out may be real."""
    far_gap: float = 100.0
    """Ratio from which on even a single row is reported."""
    pocket: float = 0.1
    """Largest share of the rows for which the smaller group counts as corrupt rather than in another unit by rule."""


def find(relations: Relations, limits: Limits) -> Found:
    seen = relations.seen
    for pocket in seen.pockets:
        if not pocket.gap >= (limits.gap if pocket.rows >= limits.rows else limits.far_gap):
            continue
        if seen.acting and pocket.name == ANSWER:
            continue
        few = pocket.rows < limits.rows or pocket.rows <= limits.pocket * pocket.of
        yield Evidence(
            where=at(seen.site, step=seen.step, rank=seen.rank),
            saw=f"{pocket.rows:,} of {pocket.of:,} examples have {_what(pocket)} {_times(pocket)} than the others, "
            f"with nothing in between",
            wanted="values on one scale",
            cause="data-outlier" if few else None,
            numbers={"rows": pocket.rows, "of": pocket.of, "factor": pocket.factor, "gap": pocket.gap},
        )


def _what(pocket: Pocket) -> str:
    column = "" if pocket.column is None else f" column {pocket.column} of"
    return f"values in{column} `{pocket.name}`"


def _times(pocket: Pocket) -> str:
    size = pocket.factor if pocket.factor >= 1 else 1 / pocket.factor if pocket.factor > 0 else pocket.gap
    return f"{size:,.0f} times {'larger' if pocket.factor >= 1 else 'smaller'}"


CHECK = Check(
    id="FL162",
    summary="some of the examples are on a different scale from the rest",
    causes=("data-scale", "data-outlier"),
    likely="files in different units were combined, or a preprocessing step was skipped for some of them",
    fix="sort the examples by the size of these values and look at those on either side of the gap",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
