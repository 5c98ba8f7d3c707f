"""Ranks train on the same examples, so that their work is done twice and a part of the data may never be seen.

## What it sees
The inputs of the model at the same step on every rank, and the examples each rank trained on until one came back. Ranks
that share their work have different ones.

## When it is fine
Ranks that hold parts of one model (tensor or pipeline parallel) are fed alike on purpose: it is asked only where the
ranks hold the same weights. Examples that coincide by chance come back within a rank too, which ends its first pass.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.ranks import Ranks


class Limits(Settable):
    steps: int = 3
    """Compared at least."""
    same_batch: float = 0.9
    """Of the compared steps fed alike: from here on the ranks do the same work."""
    examples: int = 32
    """Of each rank; fewer may coincide."""
    common: float = 0.5
    """Of all examples had by every rank. Ranks that share their work have none in common but a few that fill up."""
    replicas: float = 0.05
    """Relative distance of the weights' norms up to which ranks hold the same model."""


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
    examples = f"{ranks.common:.0%} of the examples of a first pass were trained on by all {ranks.world} ranks"
    yield Evidence(
        where=at(ranks.loader_site or ranks.site),
        saw=batches if alike else examples,
        wanted="a part of the data for each rank, and all of it together",
        numbers={"same_batch": ranks.same_batch, "compared": ranks.compared, "common": ranks.common},
    )


CHECK = Check(
    id="FL902",
    summary="ranks train on the same examples",
    causes=("env-distributed",),
    likely="the loader has no DistributedSampler, or the part of a rank is taken by a number that is the same on each "
    "(LOCAL_RANK where only RANK is set, a seed, a default)",
    fix="give the loader `DistributedSampler(dataset)`, or take the part by `dist.get_rank()` and "
    "`dist.get_world_size()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
