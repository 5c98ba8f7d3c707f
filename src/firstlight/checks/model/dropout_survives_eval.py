"""Dropout stays active in a model that is in eval mode.

## What it sees
The model and all its parts were in eval mode and were called without gradients, and within those calls a function
applied dropout: `F.scaled_dot_product_attention(…, dropout_p=self.dropout)`, `F.dropout(x, p)`. Called twice on the
same input, it gave different results, so evaluation measures a model that is too weak, and gives another number each
time.

## When it is fine
Monte Carlo dropout passes in the same input again and again, or many times in one batch; it is not reported. Nor is a
model in which some layer is in train mode. Functions that draw random numbers without dropping anything (sampling) are
not checked.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import EvaluationSeen


class Limits(Settable):
    calls: int = 2
    """Fewest calls with dropout; a single one may be a test."""
    apart: float = 0.01
    """Smallest difference between the two results, relative to their size; no metric notices less."""


def find(seen: EvaluationSeen, limits: Limits) -> Found:
    dropping = seen.dropping
    if dropping is None or dropping.resampled or dropping.calls < limits.calls or not dropping.apart > limits.apart:
        return
    yield Evidence(
        where=at(dropping.site, rank=seen.rank),
        saw=f"`{seen.name}` was in eval mode and called without gradients, and `{dropping.operation}` dropped with "
        f"probability {dropping.probability:.2g} in each of {dropping.calls} calls checked; called twice on the same "
        f"input, it gave results that differ by {dropping.apart:.0%}",
        wanted="no dropout in eval mode",
        numbers={"probability": dropping.probability, "apart": dropping.apart, "calls": dropping.calls},
    )


CHECK = Check(
    id="FL422",
    summary="dropout stays active although the model is in eval mode",
    causes=("train-mode",),
    likely="a functional dropout, or attention's `dropout_p`, does not follow the mode of its module",
    fix="apply dropout in training only: `dropout_p=self.dropout if self.training else 0.0`, `training=self.training`",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
