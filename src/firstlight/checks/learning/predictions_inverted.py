"""Predictions fall where the targets rise.

## What it sees
After a short training that lowered the loss, predicted values on held-out data are negatively correlated with the
targets, by value and by rank, far more than chance allows.

## When it is fine
Held-out data from a time or place where the relation is inverted; in finance, a short signal.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Predictions


class Limits(Settable):
    errors: float = 5.0
    """Smallest size of the negative correlation in standard errors (one over the square root of the number of
    examples)."""
    least: float = 0.2
    """Smallest size of the negative correlation, whatever the number of examples."""


def find(made: Predictions, limits: Limits) -> Found:
    if not made.learnt or made.correlation is None or made.rank_correlation is None or made.examples < 1:
        return
    edge = -max(limits.least, limits.errors / math.sqrt(made.examples))
    if not (made.correlation <= edge and made.rank_correlation <= edge):
        return
    yield Evidence(
        where=at(made.site, rank=made.rank),
        saw=f"predictions and targets on `{made.split}` have a correlation of {made.correlation:.2f} "
        f"({made.rank_correlation:.2f} by rank) over {made.examples} examples",
        wanted="a positive correlation, since the training loss fell",
        numbers={"correlation": made.correlation, "rank_correlation": made.rank_correlation},
    )


CHECK = Check(
    id="FL535",
    summary="predictions fall where the targets rise",
    causes=("data-split-shift", "data-label-misaligned"),
    likely="the sign of target or prediction is flipped in one split, or one is sorted in reverse",
    fix="compare ten rows of both splits by hand, from the file to the loss",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
