"""The ranks of a program against each other."""

from collections import defaultdict
from collections.abc import Iterator

from firstlight.facts.sightings import Sightings, groups
from firstlight.facts.stepping import training_epochs
from firstlight.records.feed import FeedSeen, Pass
from firstlight.records.program import LoaderSeen, ModelSeen, Wrapped
from firstlight.records.ranks import DistributedOrder, Ranks
from firstlight.records.training import StepSeen


def ranks(seen: Sightings) -> Iterator[Ranks]:
    """One for a program whose ranks each train with one optimizer; none for a single process."""
    steps = seen.of(StepSeen)
    by_rank = {own[0].rank: own for own in groups(steps, lambda s: s.rank)}
    if len(by_rank) < 2 or any(step.optimizer != 0 for step in steps):
        return
    models = seen.of(ModelSeen)
    passes = _first_passes(seen)
    epochs = training_epochs(seen, min(by_rank))
    batches = [set(row) for row in _aligned(by_rank, "batch")]
    weights = [[float(norm) for norm in row] for row in _aligned(by_rank, "weight_norm")]
    yield Ranks(
        world=len(by_rank),
        site=models[0].site if models else None,
        loader_site=epochs[0].site if epochs else None,
        optimizer_site=steps[0].built,
        wrapped=bool(seen.of(Wrapped)),
        compared=len(batches),
        same_batch=sum(len(row) == 1 for row in batches),
        examples=min((own.examples for own in passes), default=0),
        common=_common(passes) if len(passes) == len(by_rank) else 0.0,
        apart=tuple((max(row) - min(row)) / (max(row) or 1.0) for row in weights),
    )


def _aligned(by_rank: dict[int, list[StepSeen]], field: str) -> list[list[str | float]]:
    """The values of all ranks at each step at which every one of them has one."""
    rows: dict[int, dict[int, str | float]] = defaultdict(dict)
    for rank, steps in by_rank.items():
        for step in steps:
            value = getattr(step, field)
            if value is not None:
                rows[step.step][rank] = value
    return [list(row.values()) for _, row in sorted(rows.items()) if len(row) == len(by_rank)]


def _first_passes(seen: Sightings) -> list[Pass]:
    """The first pass of each rank over its examples; none where a rank trains several models."""
    found = {feed.rank: feed for feed in seen.of(FeedSeen)}
    if any(feed.model != 0 for feed in seen.of(FeedSeen)):
        return []
    return [feed.first_pass for feed in found.values() if feed.first_pass is not None]


def _common(passes: list[Pass]) -> float:
    """By the smallest keys of all ranks together: those are a fair sample of everything they had."""
    kept = min((len(own.smallest) for own in passes), default=0)
    union = sorted({key for own in passes for key in own.smallest})[:kept]
    everywhere = [key for key in union if all(key in own.smallest for own in passes)]
    return len(everywhere) / len(union) if union else 0.0


def distributed_orders(seen: Sightings) -> Iterator[DistributedOrder]:
    for epochs in groups(seen.of(LoaderSeen), lambda e: (e.rank, e.loader)):
        known = [epoch.shuffled_by for epoch in epochs if epoch.shuffled_by is not None]
        if known and epochs[-1].step > epochs[0].step:
            yield DistributedOrder(rank=epochs[0].rank, site=epochs[0].site, epochs=tuple(known))
