"""Most examples of each batch have no influence on the loss.

## What it sees
At the first steps the loss was computed again, with a gradient towards the prediction for each example. The same rows
of the batch, and most of them, never have one, whatever the batch holds: their answers are masked, cut off or
multiplied by zero. The model learns from the few that are left.

## When it is fine
Losses that leave out what is easy, or has no answer, leave out other rows in each batch; that is not reported. Nor are
rows that hold the same example at every step, such as the nodes of a graph that is fed whole: their answers are kept
back.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    share: float = 0.6
    """Of the rows of a batch; where rows are moments of a sequence, the first half may be there to warm up."""
    rows: int = 4
    """Of smaller batches there are no rows to speak of."""
    steps: int = 6
    """At which the same rows were left out."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, counted = relations.seen, relations.seen.counted
    if counted.steps < limits.steps or counted.rows < limits.rows or counted.never < limits.share * counted.rows:
        return
    if counted.never == counted.rows:  # then it is the loss that does not move, whatever the rows
        return
    yield Evidence(
        where=at(seen.site or seen.meeting, step=seen.step, rank=seen.rank),
        saw=f"{counted.never} of the {counted.rows} rows of a batch have no influence on the loss, the same ones at "
        f"all of {counted.steps} steps looked at",
        wanted="every example counts, or another part of them in each batch",
        numbers={"never": counted.never, "rows": counted.rows, "steps": counted.steps},
    )


CHECK = Check(
    id="FL164",
    summary="most examples of each batch have no influence on the loss",
    causes=("data-labels-masked",),
    likely="a mask for the places of a sequence is laid over the rows of the batch, or only some rows are used",
    fix="count, for one batch, the answers of each row that the loss does not ignore",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
