"""All mutations, in a tuple written by hand."""

from __future__ import annotations

from zoo.mutations import detached, hp, loss, steps
from zoo.records import Mutation

CATALOGUE: tuple[Mutation, ...] = (
    *loss.MUTATIONS,
    *detached.MUTATIONS,
    *steps.MUTATIONS,
    *hp.MUTATIONS,
)
