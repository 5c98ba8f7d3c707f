"""All mutations, in a tuple written by hand."""

from __future__ import annotations

from zoo.mutations import arch, detached, hp, inputs, labels, life, loss, steps
from zoo.records import Mutation

CATALOGUE: tuple[Mutation, ...] = (
    *labels.MUTATIONS,
    *inputs.MUTATIONS,
    *loss.MUTATIONS,
    *detached.MUTATIONS,
    *steps.MUTATIONS,
    *life.MUTATIONS,
    *arch.MUTATIONS,
    *hp.MUTATIONS,
)
