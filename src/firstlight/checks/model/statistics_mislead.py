"""Evaluation normalizes differently from training: the running statistics of a batch norm lag behind, or forget.

## What it sees
The mean and variance of a training batch are compared with the running ones that evaluation will use. They lag if they
are still near their starting values and far from those of the batch: after a hundred batches this is measured; before,
it is reported if the momentum is so small that a hundred batches would not change it. They forget if they equal those
of the last batch although batches differ, as estimated from its two halves: then evaluation depends on which batch came
last.

## When it is fine
Activations that happen to have mean 0 and variance 1. Batches so large or so alike that any of them gives the mean and
variance, or a single batch that holds all the data: these need no memory. A momentum of 0.5 and a plain average
(`momentum=None`) are not reported. A layer kept in eval mode on purpose is not checked. Statistics that are always
recomputed before an evaluation may have any value in training.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.finding import Scalar
from firstlight.records.inner import NormStatistics


class Limits(Settable):
    batches: int = 100
    """Fewest batches; a momentum of 0.1 has forgotten the start after 50, and one of 0.01 most of it after 100."""
    apart: float = 0.7
    """Smallest distance that counts as lagging: 0.7 standard deviations of the mean, or a factor of two in the
    variance."""
    followed: float = 0.1
    """Largest part of the way from the starting values that counts as lagging; a momentum of 0.001 covers it in a
    hundred batches."""
    kept: float = 0.15
    """Largest distance from the running statistics to the last batch, relative to that between two batches: what is
    left of earlier batches. A momentum of 0.9 leaves a tenth, one of 0.8 a fifth."""
    jump: float = 0.1
    """Smallest distance between two batches, in standard deviations or logarithms of the variance; the means of 400
    independent values differ by as much."""

    weight: float = 0.5
    """Largest weight of a new batch that still keeps the earlier ones; what two halves of a batch tell of the others is
    an estimate, and a known weight is not."""


def find(statistics: NormStatistics, limits: Limits) -> Found:
    where = at(statistics.site, module=statistics.module, step=statistics.step, rank=statistics.rank)
    after = f"after {statistics.batches} batches the running mean and variance of `{statistics.module}` are "
    numbers: dict[str, Scalar] = {
        "apart": statistics.apart,
        "batches": statistics.batches,
        "momentum": statistics.momentum or 0.0,
    }
    if _lag(statistics, limits):
        yield Evidence(
            where=where,
            saw=f"{after}{statistics.apart:.2g} from those of a batch; at their start they were {statistics.began:.2g} "
            "from them",
            wanted="running statistics that follow the batches",
            numbers={**numbers, "began": statistics.began},
        )
    elif _forget(statistics, limits):
        between = statistics.between
        yield Evidence(
            where=where,
            saw=f"{after}{statistics.apart:.2g} from those of the last batch, and batches are {between:.2g} from each "
            f"other: their memory is {1 / (1 - statistics.apart / between):.1f} batches",
            wanted="statistics of many batches: 10 with the usual momentum of 0.1",
            severity=Severity.WARNING,
            confidence=0.9,
            likely="a momentum close to one: in torch it weighs the new batch, not the old ones as in Keras",
            do="use `momentum=0.1` (0.01 for what Keras calls 0.99), or `None` for a plain average",
            numbers={**numbers, "between": between},
        )


def _lag(statistics: NormStatistics, limits: Limits) -> bool:
    momentum = statistics.momentum
    foretold = momentum is not None and 0 <= momentum <= 1 and 1 - (1 - momentum) ** limits.batches < limits.followed
    seen = statistics.apart >= limits.apart and (statistics.batches >= limits.batches or foretold)
    return seen and statistics.began - statistics.apart < limits.followed * statistics.began


def _forget(statistics: NormStatistics, limits: Limits) -> bool:
    forgets = statistics.momentum is not None and statistics.momentum > limits.weight
    differ = statistics.varied and statistics.between >= limits.jump
    return forgets and differ and statistics.apart <= limits.kept * statistics.between


CHECK = Check(
    id="FL459",
    summary="running statistics of a batch norm do not follow its batches, or remember only the last",
    causes=("arch-norm",),
    likely="a momentum close to zero: in torch it weighs the new batch, not the old statistics",
    fix="use `momentum=0.1`, or `None` for a plain average",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
    since="0.2",
)
