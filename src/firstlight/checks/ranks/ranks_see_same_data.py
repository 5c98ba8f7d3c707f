"""The ranks of a data-parallel program are fed the same examples.

## What it sees
The model is wrapped in `DistributedDataParallel` and each rank reads from a `DataLoader`. Either two ranks are fed
the same batches step by step, so that the second adds nothing to the first; or, over a whole epoch, they are fed the
same examples in another order. The latter is an error where the loader holds one rank's part of the data, of which
the other parts are then never seen, and a warning where it holds all of it.

## When it is fine
Each rank may shuffle the whole data set for itself: an epoch is then as many passes as there are ranks. Data sets in
which examples repeat, and programs that draw their batches without a loader, are not judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.facts import RankOverlap
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    rows: int = 64
    """Fewer examples may be a trial, or a data set too small to divide."""
    distinct: float = 0.95
    """Share of the rows that are not fed twice in an epoch; below it, equal rows are no sign of equal examples."""
    shared: float = 0.95
    """Share of a rank's rows that rank 0 is fed too. Ranks that divide the data share next to none."""
    steps: int = 4
    """Steps at which both ranks' batches are known."""


def find(overlap: RankOverlap, limits: Limits) -> Iterator[Evidence]:
    if overlap.rows < limits.rows or overlap.distinct < limits.distinct or overlap.shared < limits.shared:
        return
    in_step = overlap.compared >= limits.steps and overlap.same == overlap.compared
    if not in_step and not overlap.whole:
        return
    order = f"in the same order at all of {overlap.compared} steps" if in_step else "in another order"
    certain = in_step or overlap.divided
    yield Evidence(
        where=at(overlap.site, rank=overlap.rank),
        saw=f"{overlap.shared:.0%} of the {overlap.rows} examples fed to rank {overlap.rank} are fed to rank 0 "
        f"too, {order}",
        wanted=f"a part of its own for each of the {overlap.world} ranks: next to no example in common",
        severity=None if certain else Severity.WARNING,
        confidence=None if certain else 0.7,
        numbers={"shared": overlap.shared, "rows": overlap.rows, "same_steps": overlap.same},
    )


CHECK = Check(
    id="FL901",
    name="ranks-see-same-data",
    summary="the ranks are fed the same examples instead of a part each",
    causes=("env-distributed",),
    likely="no `DistributedSampler`, or every rank takes the part of rank 0",
    fix="give the loader `sampler=DistributedSampler(dataset)`, or cut the data by `torch.distributed.get_rank()`",
    severity=Severity.ERROR,
    confidence=0.95,
    needs=RankOverlap,
    limits=Limits(),
    find=find,
)
