"""A feature is a mean over targets that includes the target of its own row.

## What it sees
The training examples in the order in which they are stored. At nearly every row, a feature is the same weighted sum of
the targets of nearby rows, up to rounding: a rolling mean, a centered one, a smoothed series. The row's own target is
part of that sum, and without it the feature is no sum of targets at all. When the model is used, that target does not
exist yet.

## When it is fine
Means that end before the row, as `shift(1)` makes them, are what forecasts are built on, whichever way time runs
through the rows. A feature that is the target itself, or a difference of targets, is not reported here. If half of the
features are such sums, the task is to undo them. Tables that are not in order of time are not judged, nor are means
over more than 48 rows.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    rows: int = 183
    """Fewest rows compared; three for each target that a sum may contain."""
    exact: float = 0.85
    """Smallest share of the rows at which the feature is that sum; at the borders between series it is another one."""
    without: float = 0.5
    """Largest share of the rows at which it is a sum of earlier targets alone, or of its own alone; series without
    noise can be continued from earlier values."""
    share: float = 0.5
    """Largest share of the features that are such sums; with more, the features are made from the targets by design."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, spans = relations.seen, relations.seen.spans
    if seen.acting or spans.rows < limits.rows or not 0 < spans.count <= limits.share * spans.of:
        return
    if not (spans.exact >= limits.exact and spans.earlier <= limits.without and spans.alone <= limits.without):
        return
    later = f" to {spans.last} after it" if spans.last > 0 else " up to its own"
    before = f"{-spans.first} before it" if spans.first < 0 else "its own"
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"feature {spans.column} is a mean over the targets of {spans.taps} rows, from {before}{later}, at "
        f"{spans.exact:.0%} of {spans.rows:,} rows up to rounding; of earlier targets alone at {spans.earlier:.0%}",
        wanted="features that end before the target",
        numbers={
            "column": spans.column,
            "taps": spans.taps,
            "first": spans.first,
            "last": spans.last,
            "exact": spans.exact,
        },
    )


CHECK = Check(
    id="FL188",
    summary="a feature is a mean that includes the row's own target",
    causes=("data-leak-future", "data-leak-target"),
    likely="`rolling(…)` without `shift(1)`, `center=True`, or a smoothed copy of the series to be predicted",
    fix="shift the series by one row before averaging it (`y.shift(1).rolling(3).mean()`), and score again",
    severity=Severity.WARNING,
    confidence=0.92,
    find=find,
)
