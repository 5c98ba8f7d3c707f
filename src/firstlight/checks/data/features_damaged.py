"""The features computed from the table have gaps, lose rows, or never vary.

## What it sees
Computed features that have missing or infinite values, fewer rows than the limit allows (a window takes some at the
start), or constant columns, or that differ when they are computed a second time.

## When it is fine
A window of many rows takes a large share of a short table. Flags that are constant in a sample may vary in the full
data.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import FeaturesMade


class Limits(Settable):
    rows_kept: float = 0.5
    """Smallest share of the rows that must be left; a window may take the start of a table, but not half of it."""


def find(made: FeaturesMade, limits: Limits) -> Found:
    where = at(made.site, rank=made.rank)
    if made.nonfinite:
        yield Evidence(
            where=where,
            saw=f"{len(made.nonfinite)} columns with missing or infinite values ({', '.join(made.nonfinite[:4])}), "
            f"up to {made.worst_share:.1%} of a column",
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
            saw=f"{len(made.constant)} columns have the same value in every row: {', '.join(made.constant[:4])}",
            wanted="columns that vary",
            cause="data-degenerate",
            likely="a join that matched nothing, or a unit lost in a conversion",
        )
    if not made.repeatable:
        yield Evidence(
            where=where,
            saw="computed twice from the same table, the features differ",
            wanted="the same features both times",
            cause="env-seed",
            likely="randomness without a seed, or a table that is changed in place",
        )


CHECK = Check(
    id="FL131",
    summary="computed features have gaps, lose rows or never vary",
    causes=("data-nonfinite", "data-schema", "data-degenerate", "env-seed"),
    likely="an inner join or `dropna` that removes more than it should",
    fix="print the numbers of rows and of missing values after each step that computes features",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
