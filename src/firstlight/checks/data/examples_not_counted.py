"""Most examples of each batch have no influence on the loss.

## What it sees
In the first steps, the loss is computed again with a gradient for each example's prediction. The same rows of the
batch, and most of its rows, never have one, whatever the batch holds: their labels are masked, cut off or multiplied by
zero. The model learns only from the few rows that are left.

## When it is fine
Losses that leave out easy or unlabeled examples leave out other rows in each batch; that is not reported. Neither are
rows that hold the same example at every step, such as the nodes of a graph that is fed whole: their labels are held out
on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    share: float = 0.6
    """Smallest share of the rows of a batch; if rows are time steps, the first half may be there to warm up."""
    rows: int = 4
    """Fewest rows of a batch; smaller batches are not judged."""
    steps: int = 6
    """Fewest steps at which the same rows were left out."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, counted = relations.seen, relations.seen.counted
    if counted.steps < limits.steps or counted.rows < limits.rows or counted.never < limits.share * counted.rows:
        return
    if counted.never == counted.rows:  # then the loss depends on no row at all: another fault
        return
    yield Evidence(
        where=at(seen.site or seen.meeting, step=seen.step, rank=seen.rank),
        saw=f"{counted.never} of the {counted.rows} rows of a batch have no influence on the loss, the same ones at "
        f"all {counted.steps} steps looked at",
        wanted="every example counts, or different ones are left out in each batch",
        numbers={"never": counted.never, "rows": counted.rows, "steps": counted.steps},
    )


CHECK = Check(
    id="FL164",
    summary="most examples of each batch have no influence on the loss",
    causes=("data-labels-masked",),
    likely="a mask for the positions of a sequence is applied to the rows of the batch, or only some rows are used",
    fix="for one batch, count the labels in each row that the loss does not ignore",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
