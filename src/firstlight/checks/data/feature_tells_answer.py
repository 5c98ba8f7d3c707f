"""A single feature tells the whole answer, and no other comes near it.

## What it sees
A sample of the training examples with the answers that met them in the loss. For each feature by itself: is it the same
for all examples of a class, and do examples that are next to each other in its order have the same answer? A few
features from which the answer follows, among others of which none says half as much, were made from the answer: a copy
with noise, a score, a code, a later measurement of the same thing.

## When it is fine
A task that one feature decides by itself, such as a threshold on a sensor, the last value of a series that hardly
moves, or a toy. Then the model is not needed, or the other features are not; allow it there. Models that reconstruct
their input or predict the next state of all of it are not judged, nor are answers that the model itself had a hand in.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at
from firstlight.records.relations import Relations


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    power: float = 0.97
    """Of the feature over the answer, where 1 is all there is to know; real features stay below 0.9."""
    others: float = 0.8
    """Of the strongest other feature, at most: where several come near, the task is easy."""
    examples: int = 64
    """Fewer may agree by chance."""


def find(relations: Relations, limits: Limits) -> Iterator[Evidence]:
    seen, tells = relations.seen, relations.seen.tells
    if seen.acting or seen.examples < limits.examples or not tells.columns:
        return
    if not (tells.power >= limits.power and tells.others <= limits.others):
        return
    shown = ", ".join(map(str, tells.columns)) + (", …" if tells.count > len(tells.columns) else "")
    one = tells.count == 1
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"feature{'' if one else 's'} {shown} of {tells.of} {'tells' if one else 'tell'} the answer by "
        f"{'itself' if one else 'themselves'} ({tells.power:.0%} of it, over {seen.examples:,} examples); "
        f"the best of the others tells {max(0.0, tells.others):.0%}",
        wanted="features that are known before the answer is",
        numbers={"power": tells.power, "others": tells.others, "column": tells.columns[0], "examples": seen.examples},
    )


CHECK = Check(
    id="FL160",
    name="feature-tells-answer",
    summary="a single feature tells the whole answer",
    causes=("data-leak-target",),
    likely="the feature was computed from the answer, or is written down only once the answer is known",
    fix="look up where the feature comes from; leave it out and train again: an honest score will be lower",
    severity=Severity.WARNING,
    confidence=0.9,
    needs=Relations,
    limits=Limits(),
    find=find,
)
