"""Softmax is taken over the wrong axis instead of over the classes.

## What it sees
Labels pick predictions along one axis (`nll_loss`, `gather`, an index, a product with one-hot rows). The predictions
are probabilities, or their logarithms, that sum to one along a different axis: the examples or positions compete with
each other instead of the classes.

Or answers and predictions are made probabilities by the same line, as in a listwise loss, and sum to one over the
examples that were drawn into the batch, although the network is given several items of each example.

## When it is fine
Two axes of the same length are not told apart: a square matrix of the batch against itself may be normalized over
either axis (symmetric contrastive losses). A loss that compares the examples of a batch with one another at each
place, as returns of companies day by day, may be meant to.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import AxisSeen


class Limits(Settable):
    logsum_error_nats: float = 0.05
    """Largest distance of the log-sum-exp from 0; in half precision, true log-probabilities stay within a hundredth."""
    looks: int = 2
    """Fewest looks; a single one may be a test."""


def find(seen: AxisSeen, limits: Limits) -> Found:
    if seen.looks < limits.looks or not seen.error > limits.logsum_error_nats:
        return
    if not {seen.axis, seen.chosen} <= set(range(len(seen.shape))):  # a damaged log
        return
    yield _between_examples(seen) if seen.drawn else _among_classes(seen)


def _among_classes(seen: AxisSeen) -> Evidence:
    return Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"{_given(seen)}, but labels pick among them over axis {seen.chosen}; over that axis the logarithm of "
        f"their sum is up to {seen.error:.2g} away from 0",
        wanted=f"probabilities over axis {seen.chosen}, the {seen.shape[seen.chosen]} classes",
        numbers={"logsum_error": seen.error, "axis": seen.axis, "chosen": seen.chosen},
    )


def _between_examples(seen: AxisSeen) -> Evidence:
    return Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"{_given(seen)}, and so do the targets; along that axis lie the examples that were drawn into the batch",
        wanted=f"probabilities over axis {seen.chosen}, the {seen.shape[seen.chosen]} items of each example",
        severity=Severity.WARNING,
        do=f"take the softmax of both over axis {seen.chosen}",
        numbers={"logsum_error": seen.error, "axis": seen.axis, "chosen": seen.chosen},
    )


def _given(seen: AxisSeen) -> str:
    shape = "×".join(map(str, seen.shape))
    return (
        f"`{seen.met_by}` is given {shape} values that sum to one over axis {seen.axis} ({seen.shape[seen.axis]} long)"
    )


CHECK = Check(
    id="FL209",
    summary="softmax is taken over the wrong axis instead of over the classes",
    causes=("loss-dim",),
    likely="a `dim` left over from another layout of the tensor, or counted from the wrong end",
    fix="use `F.cross_entropy` on the raw scores, or take the softmax over the axis of the classes",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
