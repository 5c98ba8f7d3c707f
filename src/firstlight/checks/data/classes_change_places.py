"""Examples are changed at random, and then look like another class.

## What it sees
In a copy of the process, some hundred training examples are read again, and every line of the program on the way is
followed, with the calls into libraries. A simple fit to the examples as they came to a line recognizes their classes,
but takes most of those of one class that the line has changed for another class. They are then as close to examples of
the other class as these are to one another: left and right, rise and fall, 6 and 9. It does not matter what the change
is: a mirror, a reversed series, a shift, a swap of channels, shuffled words. The program trains on the changed examples
with their original class.

## When it is fine
A fit that simply does not know changed examples takes them for any class, or for one to which they are not close. If
the label is changed together with the example, nothing is reported. Nor is a line that does the same to all examples.
Of what is done to whole batches in the training loop, only the result is compared with what the loader gave.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    kept: float = 0.7
    """Smallest accuracy of the fit on unchanged examples; below it, its predictions say nothing."""
    taken: float = 0.5
    """Smallest share of the changed examples of a class that are taken for the other."""
    apart: float = 1.35
    """Largest distance of these from the other class, relative to that within it; digits that are moved, turned by 30
    degrees or covered in part come to 1.4 and more."""
    carried: float = 0.9
    """Largest share of all examples of the class; a line that changes all of them alike only turns the world round."""
    examples: int = 12
    """Fewest changed examples of the class."""


def find(relations: Relations, limits: Limits) -> Found:
    turned = relations.seen.turned
    if turned.examples < limits.examples or not turned.kept >= limits.kept or not turned.taken >= limits.taken:
        return
    if not (turned.apart <= limits.apart and turned.carried <= limits.carried):
        return
    first, second = turned.pair
    yield Evidence(
        where=at(turned.site or relations.seen.site, step=relations.seen.step, rank=relations.rank),
        saw=f"{turned.name} changes {turned.share:.0%} of the examples and keeps their class; a simple fit, right "
        f"about {turned.kept:.0%} of them as they were, takes {turned.taken:.0%} more of class {first} for class "
        f"{second} than before, and these are as close to it as its own examples (distance {turned.apart:.2f}, where 1 "
        "is usual)",
        wanted="changes that leave the class of an example as it is",
        numbers={name: getattr(turned, name) for name in ("kept", "taken", "apart", "share", "examples")},
    )


CHECK = Check(
    id="FL190",
    summary="examples are changed at random, and then look like another class",
    causes=("data-augment", "data-label-misaligned"),
    likely="an augmentation mirrors, reverses or moves examples whose class is a side, a direction or a place",
    fix="remove this change, or change the label together with the example",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
