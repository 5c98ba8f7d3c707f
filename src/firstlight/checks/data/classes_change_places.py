"""A dataset mirrors its examples at random, and what is mirrored looks like another class.

## What it sees
A dataset that keeps an array of images or series, and gives some of them mirrored. A plain fit to the examples as they
are kept knows their classes, and takes the mirrored ones of one class for another, and those of the other for the one:
left and right, rise and fall, 6 and 9. They are trained on with the class that they had.

## When it is fine
Most classes are the same in a mirror: nothing is said unless two change places, both ways. A fit that merely does not
know mirrored examples takes them for anything. Examples that are read from files are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    kept: float = 0.7
    """How often the fit is right about examples as they are kept; where it is less often, it cannot be asked."""
    taken: float = 0.6
    """Of the mirrored ones of either class that are taken for the other."""
    examples: int = 16
    """Of both classes, given mirrored."""


def find(relations: Relations, limits: Limits) -> Found:
    stored = relations.seen.stored
    turned = stored.classes_turned
    if not turned.how or turned.examples < limits.examples or not (turned.kept >= limits.kept):
        return
    if not turned.taken >= limits.taken:
        return
    yield Evidence(
        where=at(stored.site or relations.seen.site, step=relations.seen.step, rank=relations.rank),
        saw=f"`{stored.name}` gives {turned.share:.0%} of its examples {turned.how}, with the class they had; a plain "
        f"fit, right about {turned.kept:.0%} of them as they are kept, takes at least {turned.taken:.0%} of those of "
        f"classes {' and '.join(map(str, turned.pair))} for the other one",
        wanted="examples that keep their class when they are changed",
        numbers={"kept": turned.kept, "taken": turned.taken, "share": turned.share, "examples": turned.examples},
    )


CHECK = Check(
    id="FL190",
    summary="examples are mirrored at random, and look like another class then",
    causes=("data-augment", "data-label-misaligned"),
    likely="an augmentation mirrors images or reverses series whose class is a side or a direction",
    fix="leave the mirroring out, or exchange the two classes together with it",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
