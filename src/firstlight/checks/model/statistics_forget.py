"""The running statistics of a batch norm are those of its last batch, so that evaluation depends on which that was.

## What it sees
Mean and variance of a batch in training, and the running ones that evaluation would use now: these lie at that batch,
although batches differ, as far as the two halves of one tell. They remember one batch.

## When it is fine
Batches that are so large, or so alike, that any of them tells mean and variance are not reported, nor one batch that
is all there is; nor is a momentum of 0.5, or a plain average (`momentum=None`). Statistics that are always gathered
anew before an evaluation may be as they like in training.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.inner import NormStatistics
from firstlight.records.places import at


class Limits(Settable):
    kept: float = 0.15
    """Of the distance between two batches, at most, from the running statistics to the last one: what is left of the
    batches before. A momentum of 0.9 leaves a tenth, one of 0.8 a fifth."""
    jump: float = 0.1
    """Between two batches, in deviations of a batch or logarithms of its variance; means of 400 independent values
    differ by so much."""


def find(statistics: NormStatistics, limits: Limits) -> Iterator[Evidence]:
    between = statistics.between
    if not statistics.varied or not between >= limits.jump or not statistics.apart <= limits.kept * between:
        return
    remembered = 1 / (1 - statistics.apart / between)
    yield Evidence(
        where=at(statistics.site, module=statistics.module, step=statistics.step, rank=statistics.rank),
        saw=f"after {statistics.batches} batches the running mean and variance of `{statistics.module}` are "
        f"{statistics.apart:.2g} from those of the last batch, and batches are {between:.2g} from one another: their "
        f"memory is {remembered:.1f} batches",
        wanted="statistics of many batches: 10 with the usual momentum of 0.1",
        numbers={
            "apart": statistics.apart,
            "between": between,
            "batches": statistics.batches,
            "momentum": statistics.momentum or 0.0,
        },
    )


CHECK = Check(
    id="FL457",
    name="statistics-forget",
    summary="running statistics of a batch norm are those of its last batch",
    causes=("arch-norm",),
    likely="a momentum close to one: torch wants the share of the new batch, not of the old ones as Keras does",
    fix="use `momentum=0.1` (0.01 for what Keras calls 0.99), or `None` for a plain average",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
