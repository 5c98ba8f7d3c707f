"""A single feature tells the whole answer, and no other comes near it.

## What it sees
A sample of the training examples with the answers that met them in the loss. For each feature by itself: is it the same
for all examples of a class, and do examples that are next to each other in its order have the same answer? The others
have something to do with the answer, and none of them comes near; a few tell it all. Those were made from the answer: a
copy with noise, a score, a code, a later measurement of the same thing.

## When it is fine
A task that one feature decides by itself, such as a threshold on a sensor or the last value of a series that hardly
moves; allow it there. Where all other features are mere noise, as in toys, nothing is said. Models that reconstruct
their input or predict the next state of all of it are not judged, nor are answers that the model itself had a hand in.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at
from firstlight.records.relations import Relations


class Limits(Settable):
    power: float = 0.97
    """Of the feature over the answer, where 1 is all there is to know; real features stay below 0.9."""
    others: float = 0.8
    """Of the strongest other feature, at most: where several come near, the task is easy."""
    rest: float = 6.0
    """Deviations from chance by which all others together have to do with the answer; else it is a rule on one."""
    examples: int = 64
    """Fewer may agree by chance."""


def find(relations: Relations, limits: Limits) -> Iterator[Evidence]:
    seen, tells = relations.seen, relations.seen.tells
    if seen.acting or seen.examples < limits.examples or not tells.columns:
        return
    if not (tells.power >= limits.power and tells.others <= limits.others and tells.rest >= limits.rest):
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
    find=find,
)
