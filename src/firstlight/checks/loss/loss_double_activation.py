"""Probabilities go into a loss that applies softmax or sigmoid itself.

## What it sees
The prediction given to `cross_entropy` is the output of a softmax, or that given to `binary_cross_entropy_with_logits`
the output of a sigmoid. If the graph does not show this (compiled models), every row given to `cross_entropy` is
non-negative and sums to 1 at every call. The loss then has a floor it cannot go below (1.46 for ten classes) and
gradients about ten times too small.

## When it is fine
`log_softmax` before `cross_entropy` changes nothing and is not reported. Probabilities as the *target* are allowed.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite

DOUBLED = {"cross_entropy": "softmax", "binary_cross_entropy_with_logits": "sigmoid"}


class Limits(Settable):
    sum_error: float = 1e-3
    """Largest distance of a row's sum from 1; rows of a half-precision softmax stay within a thousandth."""
    calls_without_graph: int = 4
    """Fewest calls at which the values must agree if there is no graph to confirm them."""
    least_classes: int = 3
    """Fewest classes; with two columns, scores could lie in [0, 1] and sum to 1 by accident."""


def find(loss: LossSite, limits: Limits) -> Found:
    activation = DOUBLED.get(loss.function)
    if activation is None:
        return
    seen_in_graph = loss.made_by == activation
    if not seen_in_graph and not _rows_are_probabilities(loss, limits):
        return
    made = f"the output of `{activation}`" + (f" at {loss.made_at}" if loss.made_at else "")
    values = f"values in [{loss.prediction.low:.3g}, {loss.prediction.high:.3g}]"
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"`{loss.function}` is given {made if seen_in_graph else 'rows that sum to 1'}: {values}",
        wanted=f"raw scores; `{loss.function}` applies {activation} itself",
        do=f"return the raw scores at {loss.made_at}: drop that `{activation}`" if loss.made_at else None,
        numbers={"calls": loss.calls, "low": loss.prediction.low, "high": loss.prediction.high},
    )


def _rows_are_probabilities(loss: LossSite, limits: Limits) -> bool:
    return (
        loss.function == "cross_entropy"
        and loss.made_by is None
        and loss.calls >= limits.calls_without_graph
        and len(loss.prediction.shape) > 1
        and loss.prediction.shape[1] >= limits.least_classes
        and loss.prediction.low >= 0
        and loss.class_sum_error is not None
        and loss.class_sum_error <= limits.sum_error
    )


CHECK = Check(
    id="FL203",
    summary="probabilities go into a loss that applies the activation itself",
    causes=("loss-double-activation",),
    likely="the model ends in a softmax or sigmoid that belongs only in prediction",
    fix="return the raw scores from the model; apply the activation where probabilities are needed",
    severity=Severity.ERROR,
    confidence=0.97,
    exhaustive=True,
    find=find,
)
