"""A dataset mirrors its examples at random, and then they look like another class.

## What it sees
A dataset keeps an array of images or series and returns some of them mirrored or turned. A simple fit to the stored
examples recognizes their classes, but takes mirrored examples of one class for another, and mirrored ones of that class
for the first: left and right, rise and fall, 6 and 9. The program trains on them with their original class.

## When it is fine
Most classes look the same in a mirror: nothing is reported unless two classes are mistaken for each other, both ways. A
fit that simply fails on mirrored examples takes them for any class. Examples that are read from files are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    kept: float = 0.7
    """Smallest accuracy of the fit on stored examples; below it, its predictions say nothing."""
    taken: float = 0.6
    """Smallest share of the mirrored examples of either class that are taken for the other."""
    examples: int = 16
    """Fewest mirrored examples of the two classes."""


def find(relations: Relations, limits: Limits) -> Found:
    stored = relations.seen.stored
    turned = stored.classes_turned
    if not turned.how or turned.examples < limits.examples or not (turned.kept >= limits.kept):
        return
    if not turned.taken >= limits.taken:
        return
    yield Evidence(
        where=at(stored.site or relations.seen.site, step=relations.seen.step, rank=relations.rank),
        saw=f"`{stored.name}` returns {turned.share:.0%} of its examples {turned.how}, with their original class; a "
        f"simple fit, right about {turned.kept:.0%} of the stored examples, takes at least {turned.taken:.0%} of the "
        f"changed ones of classes {' and '.join(map(str, turned.pair))} for the other class",
        wanted="changes that leave the class of an example as it is",
        numbers={"kept": turned.kept, "taken": turned.taken, "share": turned.share, "examples": turned.examples},
    )


CHECK = Check(
    id="FL190",
    summary="examples are mirrored at random, and then look like another class",
    causes=("data-augment", "data-label-misaligned"),
    likely="an augmentation mirrors images or reverses series whose class is a side or a direction",
    fix="remove the mirroring, or swap the two classes together with it",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
