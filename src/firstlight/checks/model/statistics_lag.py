"""The running statistics of a batch norm do not follow its batches, so that evaluation normalises by other numbers.

## What it sees
Mean and variance of a batch in training, beside the running ones that evaluation will use: these are still where they
began, and far from those of the batch. After a hundred batches that is told as it is seen; before, where the momentum
foretells that a hundred would not change it.

## When it is fine
Activations that happen to have mean 0 and variance 1 need no following, and are not reported. A layer kept in eval mode
on purpose uses the same statistics in training, and is not looked at.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.inner import NormStatistics
from firstlight.records.places import at


class Limits(Settable):
    batches: int = 100
    """With the usual momentum of 0.1 the start is forgotten after 50, and with 0.01 most of it."""
    apart: float = 0.7
    """Deviations from the mean of a batch, or natural logarithm between the variances: twice as large."""
    followed: float = 0.1
    """Share of the way from where they began; a momentum of 0.001 makes as much in a hundred batches."""


def find(statistics: NormStatistics, limits: Limits) -> Iterator[Evidence]:
    if not statistics.apart >= limits.apart or not (
        statistics.batches >= limits.batches or _foretold(statistics, limits)
    ):
        return
    if not statistics.began - statistics.apart < limits.followed * statistics.began:
        return
    yield Evidence(
        where=at(statistics.site, module=statistics.module, step=statistics.step, rank=statistics.rank),
        saw=f"after {statistics.batches} batches the running mean and variance of `{statistics.module}` are "
        f"{statistics.apart:.2g} from those of a batch; at their start they were {statistics.began:.2g} from them",
        wanted="running statistics that follow the batches",
        numbers={
            "apart": statistics.apart,
            "began": statistics.began,
            "batches": statistics.batches,
            "momentum": statistics.momentum or 0.0,
        },
    )


def _foretold(statistics: NormStatistics, limits: Limits) -> bool:
    """Each batch brings them the share `momentum` of the way."""
    momentum = statistics.momentum
    return momentum is not None and 0 <= momentum <= 1 and 1 - (1 - momentum) ** limits.batches < limits.followed


CHECK = Check(
    id="FL453",
    name="statistics-lag",
    summary="running statistics of a batch norm do not follow its batches",
    causes=("arch-norm",),
    likely="a momentum close to zero: torch wants the share of the new batch, not that of the old statistics",
    fix="use `momentum=0.1`, or `None` for a plain average",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
