"""A class has too few rows to be learnt.

## What it sees
Classes of the target with hardly any rows in the training data, and one class that has nearly all of them.

## When it is fine
Anomalies that are found without being learnt; classes that weights or a sampler make up for. Counts and marks are no
classes: many whole numbers that come ever less often on both sides of the commonest are not reported.
"""

from itertools import pairwise

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import ColumnSeen, TableSeen, few, of_table


class Limits(Settable):
    least_rows: int = 8
    """With fewer there is none left for each split."""
    majority_share: float = 0.995
    """Above, always giving that answer is right 199 times in 200."""
    least_table_rows: int = 200
    """In a small table every class is small."""
    counted: int = 6
    """Whole numbers from which on their order is looked at; fewer have a single peak by chance."""
    astray: float = 0.05
    """Share of the rows by which numbers come more often further from the commonest; classes have no such order."""


def find(fact: TableSeen, limits: Limits) -> Found:
    for column in fact.columns:
        classes = column.kind in ("text", "flag", "whole") and len(column.counts) > 1 and not _is_count(column, limits)
        if fact.split != "train" or column.role != "target" or not classes or fact.rows < limits.least_table_rows:
            continue
        scarce = tuple(f"{name!r} ({rows})" for name, rows in column.counts.items() if rows < limits.least_rows)
        common, most = max(column.counts.items(), key=lambda pair: pair[1])
        if scarce or most >= limits.majority_share * fact.rows:
            told = f"only {limits.least_rows - 1} rows or fewer of {few(scarce)}" if scarce else ""
            drowned = (
                f"{common!r} in {most:,} of {fact.rows:,} rows" if most >= limits.majority_share * fact.rows else ""
            )
            yield Evidence(
                where=of_table(fact.file, column.name),
                saw="; ".join(filter(None, (drowned, told))),
                wanted=f"{limits.least_rows} rows of each class, and none with {limits.majority_share:.1%} of all",
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
    summary="a class has too few rows to be learnt",
    causes=("data-imbalance", "data-too-little"),
    likely="the class is rare, misspelt, or was filtered out",
    fix="collect more of it, merge it with another, or weigh it",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
