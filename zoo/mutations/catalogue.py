"""All mutations, in a tuple written by hand."""

from __future__ import annotations

from zoo.mutations import (
    activations,
    arch,
    detached,
    environment,
    framework,
    held,
    hp,
    influence,
    initial,
    inputs,
    labels,
    leaks,
    life,
    loss,
    metrics,
    rl,
    sampling,
    selection,
    sequences,
    shifts,
    steps,
    terms,
)
from zoo.records import Mutation

CATALOGUE: tuple[Mutation, ...] = (
    *labels.MUTATIONS,
    *inputs.MUTATIONS,
    *shifts.MUTATIONS,
    *sampling.MUTATIONS,
    *leaks.MUTATIONS,
    *sequences.MUTATIONS,
    *loss.MUTATIONS,
    *activations.MUTATIONS,
    *terms.MUTATIONS,
    *detached.MUTATIONS,
    *steps.MUTATIONS,
    *held.MUTATIONS,
    *life.MUTATIONS,
    *selection.MUTATIONS,
    *metrics.MUTATIONS,
    *initial.MUTATIONS,
    *arch.MUTATIONS,
    *influence.MUTATIONS,
    *hp.MUTATIONS,
    *framework.MUTATIONS,
    *environment.MUTATIONS,
    *rl.MUTATIONS,
)
