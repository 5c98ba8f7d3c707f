"""Whether torch's random state comes back while one model is trained."""

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from firstlight.experiments.inside.randomness import Randomness
from firstlight.records.randomness import RandomAgain

Evaluation = Callable[[int], object]


def trained(evaluate: Evaluation, draws: int = 1, models: int = 1, stale: bool = False) -> list[RandomAgain]:
    """Three epochs of three steps, in each of which so many numbers are drawn; `stale` data are drawn too."""
    observer: Any = SimpleNamespace(step=0)
    seen = Randomness(observer)
    nets = [nn.Linear(1, 1) for _ in range(models)]
    with torch.random.fork_rng():
        for net in nets:
            torch.manual_seed(1)
            for epoch in range(3):
                for _ in range(3):
                    drawn = torch.rand(draws)
                    np.random.rand(draws)
                    random.random()
                    call: Any = SimpleNamespace(
                        module=net, training=True, inputs=[drawn if stale else drawn + observer.step]
                    )
                    seen.returned(call)
                    observer.step += 1
                evaluate(epoch)
        return list(seen.seen())


def test_a_seed_in_the_evaluation_is_seen() -> None:
    (found,) = trained(lambda _: torch.manual_seed(0))

    assert (found.times, found.first, found.again) == (3, 3, 6)


@pytest.mark.parametrize(("seed", "source"), [(np.random.seed, "numpy"), (random.seed, "random")])
def test_other_sources_are_followed_too(seed: Callable[[int], object], source: str) -> None:
    (found,) = trained(lambda _: seed(0))

    assert (found.source, found.times) == (source, 3)


def test_a_seed_for_each_epoch_is_not() -> None:
    assert trained(lambda epoch: torch.manual_seed(10 + epoch)) == []


def test_nor_is_a_state_that_nobody_draws_from() -> None:
    assert trained(lambda _: None, draws=0) == []


def test_nor_are_models_that_are_trained_with_the_same_seed() -> None:
    assert trained(lambda _: None, models=2) == []


@pytest.mark.parametrize(("stale", "same"), [(True, 3), (False, 0)])
def test_what_is_given_again_is_told_from_what_is_drawn_besides(stale: bool, same: int) -> None:
    (found,) = trained(lambda _: torch.manual_seed(0), stale=stale)

    assert (found.times, found.same) == (3, same)
