"""Many labels contradict what the other rows say.

## What it sees
A forest predicts each row's class from rows it has not seen. Where classes merely overlap, it is wrong where it is
unsure; here it is wrong as often where it is surest, whichever class is expected. The twenty most doubtful rows are in
the report.

## When it is fine
Classes that are decided by something outside the table, whatever the inputs are. Where that is one class alone, nothing
is said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import LabelDoubts, few, of_table


class Limits(Settable):
    wrong_share: float = 0.03
    """Careful annotation errs in one or two rows of a hundred."""
    least_skill: float = 0.5
    """A prediction that hardly beats a guess accuses nobody."""
    flat_share: float = 0.6
    """Of all errors' share, found among the surest too; where classes merely overlap, it stays below a fifth."""
    sides: float = 0.6
    """Of the classes, those whose surest are wrong too; a cause that is not among the inputs moves one of two."""
    least_rows: int = 500
    """With fewer, the surest quarter is too small to count errors in."""


def find(fact: LabelDoubts, limits: Limits) -> Found:
    seen = fact.doubts
    if seen.rows < limits.least_rows or not (seen.skill >= limits.least_skill and seen.sides >= limits.sides):
        return
    if not (seen.wrong_when_sure >= limits.wrong_share and seen.flat >= limits.flat_share):
        return
    examples = tuple(f"row {one.row} is {one.label!r}, expected {one.expected!r}" for one in fact.doubtful)
    yield Evidence(
        where=of_table(fact.file, fact.target),
        saw=f"where the prediction is surest, {seen.wrong_when_sure:.1%} of the labels are another class; "
        f"{few(examples, 3)}",
        wanted=f"less than {limits.wrong_share:.0%}",
        numbers={
            f"doubtful_{place}": f"row {one.row}: {one.label} → {one.expected} ({one.probability:.2f}) {one.shown}"
            for place, one in enumerate(fact.doubtful, 1)
        },
    )


CHECK = Check(
    id="FL1008",
    summary="many labels contradict what the other rows say",
    causes=("data-label-noise",),
    likely="labels were assigned carelessly, or shuffled for a part of the rows",
    fix="look at the doubtful rows in the report, most doubtful first",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
