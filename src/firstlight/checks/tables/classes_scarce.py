"""A class has too few rows to be learned.

## What it sees
Target classes with hardly any rows in the training data, or a single class that has nearly all of them.

## When it is fine
Anomalies that are detected without being learned, and rare classes that class weights or a sampler compensate for.
Counts and ratings are not classes: integers that become ever rarer on both sides of the most common one are not
reported.
"""

from itertools import pairwise

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import ColumnSeen, TableSeen, few, of_table


class Limits(Settable):
    least_rows: int = 8
    """Fewest rows a class should have; with fewer, there are not enough for every split."""
    majority_share: float = 0.995
    """Largest acceptable share of one class; at this share, always predicting it is right 199 times in 200."""
    least_table_rows: int = 200
    """Fewest rows a table must have to be judged; in a small table every class is small."""
    counted: int = 6
    """Fewest distinct integers whose order of frequencies is examined; with fewer, a single peak arises by chance."""
    astray: float = 0.05
    """Largest share of the rows that may break the decline on both sides of the most common number for the values to
    pass as counts; classes have no such order."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        classes = column.kind in ("text", "flag", "whole") and len(column.counts) > 1 and not _is_count(column, limits)
        if fact.split != "train" or column.role != "target" or not classes or fact.rows < limits.least_table_rows:
            continue
        scarce = tuple(f"{name!r} ({rows})" for name, rows in column.counts.items() if rows < limits.least_rows)
        common, most = max(column.counts.items(), key=lambda pair: pair[1])
        if scarce or most >= limits.majority_share * fact.rows:
            told = f"at most {limits.least_rows - 1} rows each of {few(scarce)}" if scarce else ""
            drowned = (
                f"{most:,} of {fact.rows:,} rows are {common!r}" if most >= limits.majority_share * fact.rows else ""
            )
            yield Evidence(
                where=of_table(fact.file, column.name),
                saw="; ".join(filter(None, (drowned, told))),
                wanted=f"at least {limits.least_rows} rows of each class, and none with {limits.majority_share:.1%} of "
                "all rows",
                numbers={"scarce": len(scarce), "majority": most},
            )


def _is_count(column: ColumnSeen, limits: Limits) -> bool:
    if column.kind != "whole" or len(column.counts) < limits.counted:
        return False
    rows = [count for _, count in sorted((float(name), count) for name, count in column.counts.items())]
    peak = rows.index(max(rows))
    away = [*pairwise(rows[peak:]), *pairwise(reversed(rows[: peak + 1]))]
    return sum(max(0, further - near) for near, further in away) <= limits.astray * sum(rows)


CHECK = Check(
    id="FL1011",
    summary="a class has too few rows to be learned",
    causes=("data-imbalance", "data-too-little"),
    likely="the class is rare, misspelt, or was filtered out",
    fix="collect more rows of it, merge it with another class, or give it a larger weight",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
