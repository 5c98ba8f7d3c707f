"""Inputs are mixed with those of other examples, but their labels are not.

## What it sees
The batches that a loader returns are compared with what the model is fed. Most inputs are exactly a weighted sum of two
examples of the batch, and the other example has about half of the weight or more. The loss uses only the label of the
example itself.

## When it is fine
If the labels are mixed in the same proportion, or the loss is the same mixture of two losses, nothing is reported. A
little of another example, as noise, is not reported either.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    examples: int = 24
    """Fewest examples compared; with fewer, it may be chance."""
    share: float = 0.5
    """Smallest share of the examples that are mixed; mixing may be skipped at random."""
    weight: float = 0.45
    """Smallest weight of the other example; from here on its label is as right as the one that is used."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, mixed = relations.seen, relations.seen.mixed
    if mixed.examples < limits.examples or mixed.mixed < limits.share * mixed.examples:
        return
    if not mixed.weight >= limits.weight:
        return
    yield Evidence(
        where=at(seen.site or seen.meeting, step=seen.step, rank=seen.rank),
        saw=f"{mixed.mixed} of {mixed.examples} examples reach the model mixed with another one (weight "
        f"{mixed.weight:.0%}), but only their own label is used",
        wanted="labels mixed as the inputs are",
        numbers={"mixed": mixed.mixed, "examples": mixed.examples, "weight": mixed.weight},
    )


CHECK = Check(
    id="FL166",
    summary="inputs are mixed with those of other examples, but their labels are not",
    causes=("data-augment",),
    likely="examples are mixed to augment them, and mixing the labels was forgotten",
    fix="mix the losses of both labels with the same weights, `w * loss(p, y) + (1 - w) * loss(p, y[order])`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
