"""Nearly all examples of one class are trained on, and hardly any of the others.

## What it sees
The batches that a loader returns are compared with the rows of them that reach the model. Most rows of one class do,
but hardly any of all other classes together: the model learns to predict that class always.

## When it is fine
Classes that are left out completely, such as those of another task, are not reported, nor are rows that are chosen by
anything other than their class.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    loaded: int = 100
    """Fewest examples loaded; with fewer, shares say little."""
    of_most: float = 0.5
    """Smallest share of the one class that is trained on."""
    of_others: float = 0.2
    """Largest share of the others that is trained on; balancing on purpose brings the classes closer together."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, drawn = relations.seen, relations.seen.drawn
    if drawn.loaded < limits.loaded or not drawn.of_most >= limits.of_most:
        return
    if not 0 < drawn.of_others <= limits.of_others:
        return
    yield Evidence(
        where=at(seen.site or seen.meeting, step=seen.step, rank=seen.rank),
        saw=f"of {drawn.loaded:,} examples loaded, {drawn.of_most:.0%} of class {drawn.most} are trained on, but only "
        f"{drawn.of_others:.1%} of the {drawn.classes - 1} other classes",
        wanted="training on rows of every class, as they are loaded",
        numbers={"loaded": drawn.loaded, "of_most": drawn.of_most, "of_others": drawn.of_others},
    )


CHECK = Check(
    id="FL167",
    summary="nearly all examples of one class are trained on, and hardly any of the others",
    causes=("data-imbalance",),
    likely="a filter inside the training loop keeps the rows of one class",
    fix="print the number of rows of each class before and after rows are selected from the batch",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
