"""One feature, or a few together, determine the target completely, and no other feature comes close.

## What it sees
A sample of the training examples with their targets in the loss. Each feature is tested alone: is it constant within a
class, and do examples that are neighbors in its order have the same target? One or a few features determine the target
completely, and though the others are related to it, none of them comes close. Those few were made from the target: a
copy with noise, a score, a code, a later measurement of the same thing.

A few features of many may determine it together: the target is an exact sum of them, up to rounding, also for rows that
were left out of the fit. That alone is no leak. It is reported if one of them works against the others, as in
`3 * mean - lag 1 - lag 2`: the mean contains the target, and what else it contains is subtracted again. Without that
feature, nothing determines the target.

## When it is fine
A task that one feature decides alone, such as a threshold on a sensor or the last value of a series that hardly moves;
allow it there. If all other features are mere noise, as in toys, nothing is reported. Sums of all columns, of unrelated
columns, of powers of one column and of the positions of a smooth series are not reported; a toy without noise that adds
up a few correlated columns out of many looks like a leak. Models that reconstruct their input or predict its whole next
state are not judged, nor are targets that the model itself influences.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import MadeOf, Relations, RelationsSeen

MOST_NAMED = 6


class Limits(Settable):
    power: float = 0.97
    """Smallest power of the feature over the target, where 1 determines it; real features stay below 0.9."""
    others: float = 0.8
    """Largest power of the strongest other feature; if several come close, the task is easy."""
    rest: float = 6.0
    """Fewest standard deviations from chance by which all others relate to the target; else it is a rule on one
    feature."""
    examples: int = 64
    """Fewest examples; fewer may agree by chance."""
    left: float = 1e-4
    """Largest share of the target that an exact sum leaves, by rounding. Real features leave a tenth or more."""
    against: float = 0.15
    """Smallest negative correlation of one feature of the sum with the others; chance gives a twentieth."""
    without: float = 0.1
    """Smallest share of the target left without that feature; series without noise can use others instead."""
    alone: float = 0.14
    """Smallest share left by the best of them alone; below it, it is the last state with a small correction."""


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
        saw=f"feature{'' if one else 's'} {shown} of {tells.of} {'determines' if one else 'determine'} the target "
        f"{'alone' if one else 'by themselves'} ({tells.power:.0%} of it, over {seen.examples:,} examples); "
        f"the best of the others determines {max(0.0, tells.others):.0%}",
        wanted="features that are known before the target is",
        numbers={"power": tells.power, "others": tells.others, "column": tells.columns[0], "examples": seen.examples},
    )


def _is_difference(made: MadeOf, limits: Limits) -> bool:
    exact = bool(made.columns) and made.left <= limits.left
    return exact and made.against <= -limits.against and made.without >= limits.without and made.alone >= limits.alone


def _together(seen: RelationsSeen) -> Evidence:
    made = seen.made_of
    places = [f"{column} at position {place}" for column, place in zip(made.columns, made.places, strict=False)]
    shown = places or list(map(str, made.columns))
    more = ", …" if len(shown) > MOST_NAMED else ""
    return Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the target is an exact sum of features {', '.join(shown[:MOST_NAMED])}{more}: over {seen.examples:,} "
        f"examples {made.left:.0e} of it is left unexplained, and {made.without:.0%} without feature {shown[0]}",
        wanted="features that are known before the target is",
        severity=Severity.WARNING,
        cause="data-leak-future" if made.places else "data-leak-target",
        likely=f"feature {shown[0]} contains the target: a mean, a difference or a total that does not end before it",
        do="compute that feature only from what comes before the target (`shift(1)` first, no centered windows)",
        numbers={"left": made.left, "without": made.without, "against": made.against, "column": made.columns[0]},
    )


CHECK = Check(
    id="FL160",
    summary="one feature, or a few together, determine the target completely",
    causes=("data-leak-target", "data-leak-future"),
    likely="the feature was computed from the target, or is recorded only once the target is known",
    fix="find out where the feature comes from; leave it out and train again: an honest score will be lower",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
