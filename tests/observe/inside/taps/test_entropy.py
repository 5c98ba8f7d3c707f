"""The gradient by an entropy says whether a step lowers it."""

from typing import Any, cast

import pytest
import torch
from torch.distributions import Categorical, Distribution

from firstlight.observe.inside.taps.entropy import Entropies, _kinds
from firstlight.records.inner import EntropySeen


class Watcher:
    """As much of an observer as the tap uses."""

    step = 7

    def __init__(self) -> None:
        self.told: list[EntropySeen] = []

    def emit(self, record: EntropySeen) -> None:
        self.told.append(record)


@pytest.mark.parametrize(("weight", "counts"), [(0.1, (1, 0)), (-0.1, (0, 1)), (0.0, (0, 0))])
def test_the_sign_of_its_weight_is_counted(weight: float, counts: tuple[int, int]) -> None:
    watcher = Watcher()
    entropies = Entropies(cast("Any", watcher))
    levers = Categorical(logits=torch.tensor([0.3, 0.1, 0.0], requires_grad=True))
    entropy = levers.entropy()

    entropies.drawn()
    entropies.computed(levers, entropy)
    (weight * entropy).backward()
    entropies.tell()

    (seen,) = watcher.told
    assert (seen.lowered, seen.raised, seen.draws) == (*counts, 1)
    assert seen.name == "Categorical"


def test_every_distribution_is_followed() -> None:
    assert {Distribution, Categorical, torch.distributions.Normal} <= set(_kinds(Distribution))
