"""The features computed from the table have holes, lose rows, or say nothing.

## What it sees
Computed features with missing or infinite values, with fewer rows than the limit allows (a window at the start takes
some), constant columns, or other values when computed a second time.

## When it is fine
A window of many rows on a short table takes a large share of them. Constant flags in a sample may vary in the whole.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import FeaturesMade


class Limits(Settable):
    rows_kept: float = 0.5
    """A window may take the beginning of a table, not half of it."""


def find(made: FeaturesMade, limits: Limits) -> Found:
    where = at(made.site, rank=made.rank)
    if made.nonfinite:
        yield Evidence(
            where=where,
            saw=f"{len(made.nonfinite)} columns with missing or infinite values ({', '.join(made.nonfinite[:4])}), "
            f"up to {made.worst_share:.1%} of one",
            wanted="finite values in every column",
            cause="data-nonfinite",
            severity=Severity.ERROR,
            likely="a division by zero, the log of zero, or a window that is not full yet",
            do="drop or fill those rows where the feature is computed",
            numbers={"columns": len(made.nonfinite), "worst_share": made.worst_share},
        )
    if made.rows_in and made.rows_out < limits.rows_kept * made.rows_in:
        yield Evidence(
            where=where,
            saw=f"{made.rows_in} rows go in and {made.rows_out} come out",
            wanted=f"at least {limits.rows_kept:.0%} of the rows",
            cause="data-schema",
            numbers={"rows_in": made.rows_in, "rows_out": made.rows_out},
        )
    if made.constant:
        yield Evidence(
            where=where,
            saw=f"{len(made.constant)} columns have one and the same value throughout: {', '.join(made.constant[:4])}",
            wanted="columns that vary",
            cause="data-degenerate",
            likely="a join that matched nothing, or a unit lost in a conversion",
        )
    if not made.repeatable:
        yield Evidence(
            where=where,
            saw="computed twice from the same table, the features differ",
            wanted="the same features twice",
            cause="env-seed",
            likely="randomness without a seed, or a table changed in place",
        )


CHECK = Check(
    id="FL131",
    summary="computed features have holes, lose rows or say nothing",
    causes=("data-nonfinite", "data-schema", "data-degenerate", "env-seed"),
    likely="an inner join or `dropna` that takes more than it should",
    fix="print rows and missing values after each step that computes features",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
