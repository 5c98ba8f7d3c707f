"""The classes of many examples are those of none of their neighbours.

## What it sees
A sample of the training examples with the classes that met them in the loss. An example is doubtful where most of its
nearest examples agree on one class and hardly any has its own. In honest data such confusions are few and go to similar
classes; here they are many and spread over all classes, as if drawn.

## When it is fine
Labels that are noisy by nature or on purpose, with a loss that allows for it. That is why it is a note.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at
from firstlight.records.relations import Relations


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    share: float = 0.05
    """Of the examples; honest collections have a hundredth or two."""
    scattered: float = 0.7
    """Of the spread that wrong classes drawn at random would have."""
    examples: int = 256
    """Fewer say little."""


def find(relations: Relations, limits: Limits) -> Iterator[Evidence]:
    seen, near = relations.seen, relations.seen.near
    if seen.acting or near.examples < limits.examples or near.doubtful < limits.share * near.examples:
        return
    if not near.scattered >= limits.scattered:
        return
    named = ", ".join(f"row {row} of step {step}" for step, row in near.first_doubtful[:5])
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"{near.doubtful} of {near.examples:,} examples have a class that their nearest examples do not have, "
        f"spread over all classes, such as {named}",
        wanted=f"fewer than {limits.share:.0%} of them",
        numbers={"doubtful": near.doubtful, "examples": near.examples, "scattered": near.scattered},
    )


CHECK = Check(
    id="FL162",
    name="labels-doubtful",
    summary="many examples have classes that none of their neighbours has",
    causes=("data-label-noise",),
    likely="a part of the labels is wrong: typed by many hands, joined by a wrong key, or drawn",
    fix="look at those examples with their labels; correct them, or use a loss that allows for wrong labels",
    severity=Severity.NOTE,
    confidence=0.6,
    needs=Relations,
    limits=Limits(),
    find=find,
)
