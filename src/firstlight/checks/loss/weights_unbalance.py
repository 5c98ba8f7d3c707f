"""The weights of the classes make them count less alike than they are.

## What it sees
How often each class was the target, and what that comes to with `weight` or `pos_weight`. Weights are there to make up
for rare classes. Here the class that counts most, with its weight, counts many times what the least one does, and by
far more than by their numbers: counts were given where their inverse was meant, or a weight of other data was kept.

## When it is fine
A class that is meant to be found at any price. Weights of zero, which leave a class out, are not compared.
"""

from collections.abc import Sequence

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    weighed: float = 10.0
    """Times what the least class counts, with the weights; those in use bring it near one, or leave a few."""
    more: float = 3.0
    """Times as unequal as by their numbers; a weight of two or three is taken for the sake of recall."""
    calls: int = 3
    """One batch may hold an odd mixture of classes."""


def find(loss: LossSite, limits: Limits) -> Found:
    known = [pair for pair in zip(loss.counts, loss.weighed, strict=False) if pair[0] > 0 and pair[1] > 0]
    if loss.calls < limits.calls or not known:
        return
    counted, weighed = (_unequal(side) for side in zip(*known, strict=True))
    if not (weighed >= limits.weighed and weighed >= limits.more * counted):
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"with their weights one class counts {weighed:.0f} times what another does in `{loss.function}`; by their "
        f"numbers it is {counted:.1f} times",
        wanted="weights that make rare classes count more, and common ones less",
        numbers={"counted": counted, "weighed": weighed},
    )


def _unequal(sizes: Sequence[float]) -> float:
    return max(sizes) / min(sizes)


CHECK = Check(
    id="FL285",
    summary="the weights of the classes make them count less alike than they are",
    causes=("loss-scale",),
    likely="the weights are the numbers of examples, not their inverse, or belong to other data",
    fix="use the number of negatives over that of positives as `pos_weight`, or the inverse of each class's number",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
