"""Nearly all examples of one class are trained on, and hardly any of the others.

## What it sees
Batches as a loader gave them, and the rows of them that reach the model. Of one class most do, of all others together
hardly any: what is learnt is to answer that class.

## When it is fine
Classes that are left out altogether, as another task, are not reported, nor are rows chosen by anything but the class.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    loaded: int = 100
    """Examples; of fewer, shares say little."""
    of_most: float = 0.5
    """Share of the one class that is trained on, at least."""
    of_others: float = 0.2
    """Share of the others, at most; evening out classes on purpose makes them more alike, not less."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, drawn = relations.seen, relations.seen.drawn
    if drawn.loaded < limits.loaded or not drawn.of_most >= limits.of_most:
        return
    if not 0 < drawn.of_others <= limits.of_others:
        return
    yield Evidence(
        where=at(seen.site or seen.meeting, step=seen.step, rank=seen.rank),
        saw=f"of {drawn.loaded:,} examples loaded, {drawn.of_most:.0%} of class {drawn.most} are trained on, and "
        f"{drawn.of_others:.1%} of the {drawn.classes - 1} other classes",
        wanted="classes trained on as they come",
        numbers={"loaded": drawn.loaded, "of_most": drawn.of_most, "of_others": drawn.of_others},
    )


CHECK = Check(
    id="FL167",
    summary="nearly all examples of one class are trained on, and hardly any of the others",
    causes=("data-imbalance",),
    likely="a filter within the loop keeps the rows of one class",
    fix="print the number of rows of each class before and after rows are chosen from the batch",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
