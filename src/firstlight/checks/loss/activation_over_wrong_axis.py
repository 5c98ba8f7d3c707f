"""Softmax is taken over another axis than that of the classes.

## What it sees
Answers choose among predictions along one axis (`nll_loss`, `gather`, an index, a product with ones and zeros), and
these are probabilities, or their logarithms, that add up to one along another: the examples or positions compete with
each other instead of the classes.

## When it is fine
Two axes of the same length are not told apart: a square matrix of the batch with itself may be normalised over either
(symmetric contrastive losses).
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import AxisSeen


class Limits(Settable):
    logsum_error_nats: float = 0.05
    """Half precision keeps the log-sum-exp of true log-probabilities within a hundredth."""
    looks: int = 2
    """One may be a test."""


def find(seen: AxisSeen, limits: Limits) -> Found:
    if seen.looks < limits.looks or not seen.error > limits.logsum_error_nats:
        return
    if not {seen.axis, seen.chosen} <= set(range(len(seen.shape))):  # a damaged log
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"`{seen.met_by}` is given {'×'.join(map(str, seen.shape))} values that add up to one over axis "
        f"{seen.axis} ({seen.shape[seen.axis]} long), and answers choose among them over axis {seen.chosen}; over that "
        f"the logarithm of their sum is as much as {seen.error:.2g} away from 0",
        wanted=f"probabilities over axis {seen.chosen}, the {seen.shape[seen.chosen]} classes",
        numbers={"logsum_error": seen.error, "axis": seen.axis, "chosen": seen.chosen},
    )


CHECK = Check(
    id="FL209",
    summary="softmax is taken over another axis than that of the classes",
    causes=("loss-dim",),
    likely="a `dim` left from another layout of the tensor, or counted from the wrong end",
    fix="use `F.cross_entropy` on the raw scores, or take the softmax over the axis of the classes",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
