"""A column has the same value in every row, or hardly any values at all.

## What it sees
Input columns of the training data whose values are all the same, or missing in nearly every row, and a target that is
the same in every row.

## When it is fine
A column that will vary in later data. Missing values that carry meaning, if the model can see that they are missing.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TableSeen, few, of_table


class Limits(Settable):
    missing_share: float = 0.95
    """Share of missing values from which on a column counts as empty; with values in more than one row in twenty, it
    still says something about those rows."""
    loud_share: float = 0.1
    """Share of the input columns from which on this is a warning; fewer, such as the border pixels of images, are a
    note."""
    least_rows: int = 20
    """Fewest rows a table must have to be judged; fewer may agree by chance."""


def find(fact: TableSeen, limits: Limits) -> Found:
    if fact.split != "train" or fact.rows < limits.least_rows:
        return
    for column in fact.columns:
        if column.role == "target" and column.distinct <= 1 and column.missing < fact.rows:
            yield Evidence(
                where=of_table(fact.file, column.name),
                saw=f"the target is the same in all {fact.rows:,} rows",
                wanted="a target that differs between rows",
                severity=Severity.ERROR,
                confidence=0.95,
                likely="rows were filtered by the target, or it was filled in before it was known",
                do="look at where the target is computed",
            )
    inputs = [column for column in fact.columns if column.role == "input"]
    absent = [one for one in inputs if one.missing >= limits.missing_share * fact.rows]
    constant = tuple(f"`{one.name}`" for one in inputs if one.distinct <= 1 and one not in absent)
    empty = tuple(f"`{one.name}`" for one in absent)
    if not constant and not empty:
        return
    told = [f"{len(constant)} with the same value in all rows: {few(constant)}"] if constant else []
    told += [f"{len(empty)} missing in {limits.missing_share:.0%} of the rows or more: {few(empty)}"] if empty else []
    nothing = all(one.distinct <= 1 for one in inputs)
    share = (len(constant) + len(empty)) / len(inputs)
    yield Evidence(
        where=of_table(fact.file),
        saw=f"of {len(inputs)} input columns, " + "; ".join(told),
        wanted="columns whose values differ between rows",
        severity=Severity.ERROR if nothing else None if share >= limits.loud_share else Severity.NOTE,
        confidence=0.95 if nothing else None,
        numbers={"constant": len(constant), "empty": len(empty)},
    )


CHECK = Check(
    id="FL1002",
    summary="columns hold only one value, or hardly any values",
    causes=("data-degenerate",),
    likely="a join without matches, a filter on that very column, or a unit conversion that rounded everything away",
    fix="look at where the columns are filled in; drop them if they are meant to be like this",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
