"""What the ranks of a data-parallel program were fed, each set against rank 0. Pure."""

from collections.abc import Iterator, Sequence

from firstlight.records.facts import RankOverlap
from firstlight.records.observed import LoaderSeen, RowsSeen, StepSeen

SHARDING_SAMPLER = "DistributedSampler"


def overlaps(
    rows: Sequence[RowsSeen], steps: Sequence[StepSeen], loaders: Sequence[LoaderSeen]
) -> Iterator[RankOverlap]:
    """Only ranks that read from a DataLoader: whoever draws at random draws the same now and then."""
    last = {seen.rank: seen for seen in rows}
    first = last.get(0)
    if first is None or not any(epoch.rank == 0 for epoch in loaders):
        return
    for rank in sorted(set(last) - {0}):
        seen = last[rank]
        epochs = [epoch for epoch in loaders if epoch.rank == rank]
        if not epochs:
            continue
        same = _same_steps(steps, rank)
        yield RankOverlap(
            rank=rank,
            site=epochs[0].site,
            world=seen.world,
            rows=min(seen.rows, first.rows),
            shared=_shared(seen, first),
            distinct=min(len(each.smallest) / each.times if each.times else 0.0 for each in (seen, first)),
            whole=seen.whole and first.whole,
            divided=all(_divides(epoch, seen.world) for epoch in epochs[:1]),
            compared=len(same),
            same=sum(same),
        )


def _shared(one: RowsSeen, other: RowsSeen) -> float:
    """Where only the smallest hashes were kept, those up to the smaller of both ends are compared."""
    ends = [each.smallest[-1] for each in (one, other) if not each.all and each.smallest]
    within = [each for each in one.smallest if each <= min(ends, default=each)]
    return len(set(within) & set(other.smallest)) / len(within) if within else 0.0


def _same_steps(steps: Sequence[StepSeen], rank: int) -> list[bool]:
    """For each step whose batch is known on both ranks: whether it was the same one."""
    fed = {(step.optimizer, step.step): step.batch for step in steps if step.rank == 0 and step.batch}
    known = [step for step in steps if step.rank == rank and step.batch and (step.optimizer, step.step) in fed]
    return [step.batch == fed[step.optimizer, step.step] for step in known]


def _divides(epoch: LoaderSeen, world: int) -> bool:
    """The loader is plainly meant for one rank's part of the data."""
    if epoch.sampler == SHARDING_SAMPLER:
        return True
    if epoch.drawn_from is None or epoch.examples is None:
        return False
    return abs(epoch.examples * world - epoch.drawn_from) <= world
