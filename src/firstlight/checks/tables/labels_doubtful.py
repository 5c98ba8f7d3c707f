"""Many labels contradict what the other rows predict.

## What it sees
A random forest predicts the class of each row after being trained on other rows. If classes merely overlap, its errors
are where it is unsure; here it errs about as often where it is surest, whichever class it expects. The report lists
the twenty most doubtful rows.

## When it is fine
Classes that depend on something outside the table, whatever the inputs are. If that affects only one class, nothing is
reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import LabelDoubts, few, of_table


class Limits(Settable):
    wrong_share: float = 0.03
    """Smallest share of contradicted labels among the surest predictions; careful annotation errs in one or two rows
    in a hundred."""
    least_skill: float = 0.5
    """Lowest skill of the forest; predictions that hardly beat guessing are no evidence against a label."""
    flat_share: float = 0.6
    """Smallest ratio of the error rate among the surest predictions to the overall one; if classes merely overlap, it
    stays below a fifth."""
    sides: float = 0.6
    """Smallest share of the classes whose surest predictions are contradicted too; a cause missing from the inputs
    affects only one of two."""
    least_rows: int = 500
    """Fewest rows; with fewer, the surest quarter is too small to count errors in."""


def find(fact: LabelDoubts, limits: Limits) -> Found:
    seen = fact.doubts
    if seen.rows < limits.least_rows or not (seen.skill >= limits.least_skill and seen.sides >= limits.sides):
        return
    if not (seen.wrong_when_sure >= limits.wrong_share and seen.flat >= limits.flat_share):
        return
    examples = tuple(f"row {one.row} is {one.label!r}, expected {one.expected!r}" for one in fact.doubtful)
    yield Evidence(
        where=of_table(fact.file, fact.target),
        saw=f"where the prediction is surest, {seen.wrong_when_sure:.1%} of the labels are a different class; "
        f"{few(examples, 3)}",
        wanted=f"less than {limits.wrong_share:.0%} of them",
        numbers={
            f"doubtful_{place}": f"row {one.row}: {one.label} → {one.expected} ({one.probability:.2f}) {one.shown}"
            for place, one in enumerate(fact.doubtful, 1)
        },
    )


CHECK = Check(
    id="FL1008",
    summary="many labels contradict what the other rows predict",
    causes=("data-label-noise",),
    likely="labels were assigned carelessly, or shuffled for part of the rows",
    fix="review the doubtful rows in the report, most doubtful first",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
