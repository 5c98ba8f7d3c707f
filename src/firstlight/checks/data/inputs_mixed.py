"""Inputs are mixed with those of other examples, and their answers are not.

## What it sees
Batches as a loader gave them, beside what the model is given. Most inputs are exactly a sum of two examples of the
batch, the other one weighs at least as much as the example itself, and the loss asks for the answer of the example
alone.

## When it is fine
Where the answers are mixed in the same proportion, or the loss is the same mixture of two losses, nothing is said. A
little of another example, as noise, is not reported either.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    examples: int = 24
    """Compared; in fewer it may be chance."""
    share: float = 0.5
    """Of the examples; mixing may be left out at random."""
    weight: float = 0.45
    """Of the other example, from which on its answer is as right as the one that is asked for."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, mixed = relations.seen, relations.seen.mixed
    if mixed.examples < limits.examples or mixed.mixed < limits.share * mixed.examples:
        return
    if not mixed.weight >= limits.weight:
        return
    yield Evidence(
        where=at(seen.site or seen.meeting, step=seen.step, rank=seen.rank),
        saw=f"{mixed.mixed} of {mixed.examples} examples reach the model mixed with another one, which weighs "
        f"{mixed.weight:.0%}, and are asked for their own answer alone",
        wanted="answers mixed as the inputs are",
        numbers={"mixed": mixed.mixed, "examples": mixed.examples, "weight": mixed.weight},
    )


CHECK = Check(
    id="FL166",
    summary="inputs are mixed with those of other examples, and their answers are not",
    causes=("data-augment",),
    likely="examples are mixed to augment them, and the mixture of the answers was forgotten",
    fix="mix the losses of both answers by the same weights, `w * loss(p, y) + (1 - w) * loss(p, y[order])`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
