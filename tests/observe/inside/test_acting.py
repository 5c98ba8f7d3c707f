"""What tells the actions that an environment is given from what a function that makes examples is given."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import torch

from firstlight.observe.inside.acting import AGAIN, MOST_CHOICES, Actions


def acted(given: Iterable[Any], ends: int = 1) -> bool:
    actions = Actions()
    for one in given:
        actions.saw(one if isinstance(one, tuple) else (one,), ends)
    return actions.acted


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ([0, 1, 0, 1], 1),
        ([np.int64(0), np.int64(2)] * 2, 1),
        ([(object(), one) for one in (0, 1, 1, 0)], 1),
        ([0.25, -0.5], 1),
        ([np.array([0.1, -0.2])], 1),
        ([torch.tensor([0, 1, 1, 0])], 4),
        ([torch.rand(4, 2)], 4),
        (list(range(MOST_CHOICES)) * AGAIN, 1),
    ],
    ids=["a choice", "of numpy", "behind a state", "a force", "forces", "many at once", "their forces", "many choices"],
)
def test_a_few_choices_that_come_again_and_measures_are_actions(given: list[Any], ends: int) -> None:
    assert acted(given, ends)


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ([40] * 100, 1),
        ([40] * 100, 40),
        (list(range(1000)), 1),
        (list(range(MOST_CHOICES + 1)) * AGAIN, 1),
        (torch.randperm(4096).split(8), 8),
        ([torch.rand(8, 2)], 4),
        ([torch.rand(4, 2, 2)], 4),
        (["train", "val"] * 4, 1),
        ([()] * 8, 1),
    ],
    ids=["one size", "of a batch", "steps", "rows", "batches of rows", "others", "images", "names", "nothing"],
)
def test_sizes_steps_and_rows_are_none(given: list[Any], ends: int) -> None:
    assert not acted(given, ends)
