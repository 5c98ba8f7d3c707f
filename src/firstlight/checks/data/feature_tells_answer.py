"""A feature, or a few together, tell the whole answer, and nothing else comes near.

## What it sees
A sample of the training examples with the answers that met them in the loss. For each feature by itself: is it the same
for all examples of a class, and do examples that are next to each other in its order have the same answer? The others
have something to do with the answer, and none of them comes near; a few tell it all. Those were made from the answer: a
copy with noise, a score, a code, a later measurement of the same thing.

A few features of many may tell it together: the answer is an exact sum of them, to rounding, also for rows that were
left out. That alone is no leak. It is told where one of them goes against the others, as in `3 * mean - lag 1 - lag 2`:
the mean contains the answer, and what else it contains is taken off again. Without that feature nothing tells the
answer.

## When it is fine
A task that one feature decides by itself, such as a threshold on a sensor or the last value of a series that hardly
moves; allow it there. Where all other features are mere noise, as in toys, nothing is said. Sums of all columns, of
columns that have nothing to do with each other, of powers of one column and of the places of a smooth series are not
told; a toy without noise that adds up a few correlated columns of many looks like a leak. Models that reconstruct
their input or predict the next state of all of it are not judged, nor are answers that the model itself had a hand in.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import MadeOf, Relations, RelationsSeen

MOST_NAMED = 6


class Limits(Settable):
    power: float = 0.97
    """Of the feature over the answer, where 1 is all there is to know; real features stay below 0.9."""
    others: float = 0.8
    """Of the strongest other feature, at most: where several come near, the task is easy."""
    rest: float = 6.0
    """Deviations from chance by which all others together have to do with the answer; else it is a rule on one."""
    examples: int = 64
    """Fewer may agree by chance."""
    left: float = 1e-4
    """Of the answer, by an exact sum: what rounding leaves. Real features leave a tenth and more."""
    against: float = 0.15
    """Correlation, at least, by which one feature of the sum goes against the others; chance makes a twentieth."""
    without: float = 0.1
    """Of the answer is left, at least, without that feature: series without noise go on by others as well."""
    alone: float = 0.14
    """Of the answer is left by the best of them alone; less, and it is the last state with a small correction."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, tells = relations.seen, relations.seen.tells
    if seen.acting or seen.examples < limits.examples:
        return
    if _is_difference(seen.made_of, limits):
        yield _together(seen)
    if not tells.columns or not (
        tells.power >= limits.power and tells.others <= limits.others and tells.rest >= limits.rest
    ):
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


def _is_difference(made: MadeOf, limits: Limits) -> bool:
    exact = bool(made.columns) and made.left <= limits.left
    return exact and made.against <= -limits.against and made.without >= limits.without and made.alone >= limits.alone


def _together(seen: RelationsSeen) -> Evidence:
    made = seen.made_of
    places = [f"{column} at place {place}" for column, place in zip(made.columns, made.places, strict=False)]
    shown = places or list(map(str, made.columns))
    more = ", …" if len(shown) > MOST_NAMED else ""
    return Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the answer is an exact sum of features {', '.join(shown[:MOST_NAMED])}{more}: {made.left:.0e} of it is "
        f"left over {seen.examples:,} examples, and {made.without:.0%} without feature {shown[0]}",
        wanted="features that are known before the answer is",
        severity=Severity.WARNING,
        cause="data-leak-future" if made.places else "data-leak-target",
        likely=f"feature {shown[0]} contains the answer: a mean, a difference or a total that does not end before it",
        do="compute that feature from what comes before the answer (`shift(1)` first, windows that are not centred)",
        numbers={"left": made.left, "without": made.without, "against": made.against, "column": made.columns[0]},
    )


CHECK = Check(
    id="FL160",
    summary="a few features tell the whole answer",
    causes=("data-leak-target", "data-leak-future"),
    likely="the feature was computed from the answer, or is written down only once the answer is known",
    fix="look up where the feature comes from; leave it out and train again: an honest score will be lower",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
