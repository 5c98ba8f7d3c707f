"""All mutations, in a tuple written by hand."""

from __future__ import annotations

from zoo.mutations import (
    arch,
    detached,
    environment,
    hp,
    influence,
    inputs,
    labels,
    life,
    loss,
    rl,
    sampling,
    selection,
    steps,
    terms,
)
from zoo.records import Mutation

CATALOGUE: tuple[Mutation, ...] = (
    *labels.MUTATIONS,
    *inputs.MUTATIONS,
    *sampling.MUTATIONS,
    *loss.MUTATIONS,
    *terms.MUTATIONS,
    *detached.MUTATIONS,
    *steps.MUTATIONS,
    *life.MUTATIONS,
    *selection.MUTATIONS,
    *arch.MUTATIONS,
    *influence.MUTATIONS,
    *hp.MUTATIONS,
    *environment.MUTATIONS,
    *rl.MUTATIONS,
)
