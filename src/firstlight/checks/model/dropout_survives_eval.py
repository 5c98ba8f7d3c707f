"""A model drops at random although it is in eval mode.

## What it sees
The model and all its parts were in eval mode and were called without gradients, and within those calls a function
dropped with some probability: `F.scaled_dot_product_attention(…, dropout_p=self.dropout)`, `F.dropout(x, p)`. Asked
twice for the same input, it gave different results, so whatever is measured in evaluation is too low, and is another
number each time.

## When it is fine
Monte Carlo dropout. It asks for the same input again and again, or many times in one batch, and then nothing is said;
nor where some layer is in train mode. What draws random numbers and drops nothing (sampling) is not looked at.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import EvaluationSeen


class Limits(Settable):
    calls: int = 2
    """A single one may be a test."""
    apart: float = 0.01
    """Of the result; less than that no metric tells."""


def find(seen: EvaluationSeen, limits: Limits) -> Found:
    dropping = seen.dropping
    if dropping is None or dropping.resampled or dropping.calls < limits.calls or not dropping.apart > limits.apart:
        return
    yield Evidence(
        where=at(dropping.site, rank=seen.rank),
        saw=f"`{seen.name}` was in eval mode and called without gradients, and `{dropping.operation}` dropped with "
        f"probability {dropping.probability:.2g} in each of {dropping.calls} calls looked at; asked twice for the same "
        f"input, it gave results that are {dropping.apart:.0%} apart",
        wanted="nothing dropped in eval mode",
        numbers={"probability": dropping.probability, "apart": dropping.apart, "calls": dropping.calls},
    )


CHECK = Check(
    id="FL422",
    summary="a model drops at random although it is in eval mode",
    causes=("train-mode",),
    likely="a functional dropout, or attention's `dropout_p`, that does not know the mode of its module",
    fix="drop in training only: `dropout_p=self.dropout if self.training else 0.0`, `training=self.training`",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
