"""Evaluation normalises by other numbers than training: the running statistics of a batch norm lag, or forget.

## What it sees
Mean and variance of a batch in training, beside the running ones that evaluation will use. They lag where they are
still where they began, and far from those of the batch: after a hundred batches that is told as it is seen; before,
where the momentum foretells that a hundred would not change it. They forget where they lie at the last batch, although
batches differ, as far as the two halves of one tell: evaluation depends on which batch that was.

## When it is fine
Activations that happen to have mean 0 and variance 1 need no following; batches so large, or so alike, that any of them
tells mean and variance need no memory, nor does one batch that is all there is. A momentum of 0.5 or a plain average
(`momentum=None`) is not reported. A layer kept in eval mode on purpose is not looked at. Statistics that are always
gathered anew before an evaluation may be as they like in training.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.finding import Scalar
from firstlight.records.inner import NormStatistics


class Limits(Settable):
    batches: int = 100
    """With the usual momentum of 0.1 the start is forgotten after 50, and with 0.01 most of it."""
    apart: float = 0.7
    """Deviations from the mean of a batch, or natural logarithm between the variances: twice as large."""
    followed: float = 0.1
    """Share of the way from where they began; a momentum of 0.001 makes as much in a hundred batches."""
    kept: float = 0.15
    """Of the distance between two batches, at most, from the running statistics to the last one: what is left of the
    batches before. A momentum of 0.9 leaves a tenth, one of 0.8 a fifth."""
    jump: float = 0.1
    """Between two batches, in deviations of a batch or logarithms of its variance; means of 400 independent values
    differ by so much."""


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
            saw=f"{after}{statistics.apart:.2g} from those of the last batch, and batches are {between:.2g} from one "
            f"another: their memory is {1 / (1 - statistics.apart / between):.1f} batches",
            wanted="statistics of many batches: 10 with the usual momentum of 0.1",
            severity=Severity.WARNING,
            confidence=0.9,
            likely="a momentum close to one: torch wants the share of the new batch, not of the old ones as Keras does",
            do="use `momentum=0.1` (0.01 for what Keras calls 0.99), or `None` for a plain average",
            numbers={**numbers, "between": between},
        )


def _lag(statistics: NormStatistics, limits: Limits) -> bool:
    momentum = statistics.momentum
    foretold = momentum is not None and 0 <= momentum <= 1 and 1 - (1 - momentum) ** limits.batches < limits.followed
    seen = statistics.apart >= limits.apart and (statistics.batches >= limits.batches or foretold)
    return seen and statistics.began - statistics.apart < limits.followed * statistics.began


def _forget(statistics: NormStatistics, limits: Limits) -> bool:
    differ = statistics.varied and statistics.between >= limits.jump
    return differ and statistics.apart <= limits.kept * statistics.between


CHECK = Check(
    id="FL459",
    summary="running statistics of a batch norm do not follow its batches, or remember only the last",
    causes=("arch-norm",),
    likely="a momentum close to zero: torch wants the share of the new batch, not that of the old statistics",
    fix="use `momentum=0.1`, or `None` for a plain average",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
    since="0.2",
)
