"""Ranks train on the same examples, so work is duplicated and part of the data may never be seen.

## What it sees
The model's inputs at the same step on every rank, and the examples each rank trained on until one of them repeated.
Ranks that split the data have different ones.

## When it is fine
Ranks that hold parts of one model (tensor or pipeline parallel) get the same data on purpose, so only ranks with the
same weights are compared. Examples that coincide by chance also repeat within a rank, which ends its first pass.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.ranks import Ranks


class Limits(Settable):
    steps: int = 3
    """Fewest steps that must have been compared."""
    same_batch: float = 0.9
    """Share of the compared steps with the same batch on every rank from which on the ranks do the same work."""
    examples: int = 32
    """Fewest examples each rank must have trained on; fewer may coincide by chance."""
    common: float = 0.5
    """Share of all examples that every rank trained on, from which on they overlap. Ranks that split the data have
    none in common, except for a little padding."""
    replicas: float = 0.05
    """Largest relative difference of the weights' norms at which ranks count as holding the same model."""


def find(ranks: Ranks, limits: Limits) -> Found:
    if ranks.compared < limits.steps:
        return
    if not ranks.wrapped and (not ranks.apart or not ranks.apart[0] <= limits.replicas):
        return
    alike = ranks.same_batch >= limits.same_batch * ranks.compared
    shared = ranks.examples >= limits.examples and ranks.common >= limits.common
    if not alike and not shared:
        return
    batches = f"{ranks.same_batch} of {ranks.compared} compared batches are the same on all {ranks.world} ranks"
    examples = f"{ranks.common:.0%} of the examples in the first pass were trained on by all {ranks.world} ranks"
    yield Evidence(
        where=at(ranks.loader_site or ranks.site),
        saw=batches if alike else examples,
        wanted="a different part of the data for each rank, and all of it between them",
        numbers={"same_batch": ranks.same_batch, "compared": ranks.compared, "common": ranks.common},
    )


CHECK = Check(
    id="FL902",
    summary="ranks train on the same examples",
    causes=("env-distributed",),
    likely="the loader has no DistributedSampler, or each rank picks its part by a number that is the same on all "
    "(LOCAL_RANK where only RANK is set, a seed, a default)",
    fix="give the loader a `DistributedSampler(dataset)`, or pick the part by `dist.get_rank()` and "
    "`dist.get_world_size()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
