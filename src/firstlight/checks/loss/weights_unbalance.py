"""Class weights make the classes count more unequally than they do without weights.

## What it sees
How often each class was the target, with and without `weight` or `pos_weight`. Weights are there to compensate for rare
classes. Here the class that counts most, with its weight, counts many times as much as the one that counts least, and
the ratio is far larger than without weights: counts were passed where their inverse was meant, or weights for other
data were kept.

## When it is fine
A class that must be found at any price. Weights of zero, which leave a class out, are not compared.
"""

from collections.abc import Sequence

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    weighed: float = 10.0
    """Smallest ratio of the largest to the smallest weighted class; weights in common use bring it near one, or to a
    few."""
    more: float = 3.0
    """Smallest factor by which the weights make the classes more unequal; a weight of two or three may be chosen for
    recall."""
    calls: int = 3
    """Fewest calls; a single batch may hold an unusual mix of classes."""


def find(loss: LossSite, limits: Limits) -> Found:
    known = [pair for pair in zip(loss.counts, loss.weighed, strict=False) if pair[0] > 0 and pair[1] > 0]
    if loss.calls < limits.calls or not known:
        return
    counted, weighed = (_unequal(side) for side in zip(*known, strict=True))
    if not (weighed >= limits.weighed and weighed >= limits.more * counted):
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"with weights, one class counts {weighed:.0f} times as much as another in `{loss.function}`; without them "
        f"it is {counted:.1f} times",
        wanted="weights that make rare classes count more, and common ones less",
        numbers={"counted": counted, "weighed": weighed},
    )


def _unequal(sizes: Sequence[float]) -> float:
    return max(sizes) / min(sizes)


CHECK = Check(
    id="FL285",
    summary="class weights make the classes count more unequally than they do without weights",
    causes=("loss-scale",),
    likely="the weights are the class counts instead of their inverse, or belong to other data",
    fix="use negatives divided by positives as `pos_weight`, or the inverse of each class's count as `weight`",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
