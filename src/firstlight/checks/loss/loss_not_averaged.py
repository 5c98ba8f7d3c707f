"""The loss grows with the number of examples in the batch.

## What it sees
The same examples several times over in one batch: a mean stays as it is, a sum grows as often as they are repeated. A
loss that pairs every example with every other stays, too, and is told by its shapes.

## When it is fine
Sums are a choice: the learning rate then belongs to one batch size, and the last, smaller batch counts less.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.declared import LossScaling
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    tolerance: float = 0.05
    """Relative; rounding is far below."""


def find(scaling: LossScaling, limits: Limits) -> Iterator[Evidence]:
    if scaling.batch_statistics or not scaling.once:
        return
    ratio = scaling.repeated / scaling.once
    if abs(ratio - scaling.times) > limits.tolerance * scaling.times:
        return
    yield Evidence(
        where=at(scaling.site, rank=scaling.rank),
        saw=f"{scaling.times} times the same examples: the loss goes from {scaling.once:.4g} to {scaling.repeated:.4g}",
        wanted=f"{scaling.once:.4g} again: a mean does not depend on the number of examples",
        numbers={"ratio": ratio},
    )


CHECK = Check(
    id="FL231",
    name="loss-not-averaged",
    summary="the loss, and so the size of a step, grows with the batch",
    causes=("loss-scale",),
    likely="`reduction='sum'`, or a sum in the user's own loss",
    fix="use the mean; then set the learning rate anew",
    severity=Severity.WARNING,
    confidence=0.8,
    needs=LossScaling,
    limits=Limits(),
    find=find,
)
