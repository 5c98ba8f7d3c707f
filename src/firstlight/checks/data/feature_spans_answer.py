"""A feature is a mean over answers, and the answer of its own row is one of them.

## What it sees
The training examples in the order in which they are kept. At nearly every row a feature is the same sum of the answers
of rows around it, to rounding: a rolling mean, a centred one, a smoothed series. The row's own answer is a part of it,
and without that it is no sum of answers at all. In use that answer does not exist yet.

## When it is fine
Means that end before the row, as `shift(1)` makes them, are what forecasts are made from, in whatever order of time the
rows are. A feature that is the answer itself, or a difference of answers, is not told here. Where half of the features
are such sums, the task is to undo them. Tables in no order of time are not judged, nor means over more than 48 rows.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    rows: int = 183
    """Compared; three for each answer that a sum may be made of."""
    exact: float = 0.85
    """Of the rows, at which the feature is that sum; at the borders between series it is another one."""
    without: float = 0.5
    """Of the rows, at most, at which it is a sum of earlier answers, or of its own alone: series without noise go on by
    what came before."""
    share: float = 0.5
    """Of the features, at most: of more, the answers are what they were made from."""


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
        saw=f"feature {spans.column} is a mean over the answers of {spans.taps} rows, from {before}{later}, at "
        f"{spans.exact:.0%} of {spans.rows:,} rows to rounding; of earlier answers alone at {spans.earlier:.0%}",
        wanted="features that end before the answer",
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
    summary="a feature is a mean that takes in the row's own answer",
    causes=("data-leak-future", "data-leak-target"),
    likely="`rolling(…)` without `shift(1)`, `center=True`, or a smoothed series beside the one that is to be foretold",
    fix="shift the series by a row before it is averaged (`y.shift(1).rolling(3).mean()`), and score again",
    severity=Severity.WARNING,
    confidence=0.92,
    find=find,
)
