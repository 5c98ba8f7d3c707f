"""Log-softmax is taken over another axis than that of the classes.

## What it sees
`nll_loss` is given the output of a `log_softmax` whose values are log-probabilities over the batch or another axis,
and not over the classes: the examples compete with each other instead of the classes.

## When it is fine
A square matrix of the batch with itself may be normalised over either axis (symmetric contrastive losses) and is not
judged.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    logsum_error_nats: float = 0.05
    """Half precision keeps the log-sum-exp of true log-probabilities within a hundredth."""
    calls: int = 2
    """One call may be a test."""


def find(loss: LossSite, limits: Limits) -> Iterator[Evidence]:
    error, axis, shape = loss.class_logsum_error, loss.normalised_axis, loss.prediction.shape
    if loss.function != "nll_loss" or loss.made_by != "log_softmax" or axis is None or len(shape) <= max(axis, 1):
        return
    if loss.calls < limits.calls or error is None or not error > limits.logsum_error_nats or shape[axis] == shape[1]:
        return
    yield Evidence(
        where=at(loss.made_at or loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"`nll_loss` is given {'×'.join(map(str, shape))} values that `log_softmax` has normalised over axis "
        f"{axis} ({shape[axis]} long); over the classes their log-sum-exp is as much as {error:.2g} away from 0",
        wanted=f"log-probabilities over axis 1, the {shape[1]} classes",
        numbers={"logsum_error": error, "axis": axis},
    )


CHECK = Check(
    id="FL209",
    name="activation-over-wrong-axis",
    summary="log-softmax is taken over another axis than that of the classes",
    causes=("loss-dim",),
    likely="a `dim` left from another layout of the tensor, or counted from the wrong end",
    fix="use `F.cross_entropy` on the raw scores, or take `log_softmax` over the axis of the classes",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
