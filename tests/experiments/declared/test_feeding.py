from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.feeding import feeding, near
from firstlight.records.feed import FeedSeen

DATA = torch.randn(600, 12, generator=torch.Generator().manual_seed(0))


def fed(train: torch.Tensor, val: torch.Tensor | None) -> FeedSeen:
    told: list[Any] = []
    experiment = Experiment(
        model=lambda: nn.Linear(12, 2),
        train=DataLoader(TensorDataset(train, torch.arange(len(train)) % 2), batch_size=32, shuffle=True),
        val=None if val is None else DataLoader(TensorDataset(val, torch.arange(len(val)) % 2), batch_size=200),
        loss=F.cross_entropy,
    )
    feeding(Bench(experiment, told.append))
    seen: FeedSeen = told[0]
    return seen


def test_examples_in_both_splits_are_counted() -> None:
    seen = fed(DATA[:400], DATA[350:])

    assert (seen.overlap.trained, seen.overlap.judged, seen.overlap.shared) == (400, 250, 50)


def test_a_clean_split_has_none_even_nearly() -> None:
    seen = fed(DATA[:400], DATA[400:])

    assert (seen.overlap.shared, seen.overlap.near) == (0, 0)


def test_doubles_with_a_little_noise_are_near() -> None:
    seen = fed(DATA[:400], torch.cat([DATA[400:], DATA[:60] + 1e-3]))

    assert (seen.overlap.shared, seen.overlap.near) == (0, 60)


def test_a_split_that_is_scaled_otherwise_is_wider() -> None:
    (given,) = fed(DATA[:400], 100 * DATA[400:]).inputs

    assert 80 < given.wider < 120


def test_training_alone_is_looked_at_too() -> None:
    (given,) = fed(DATA, None).inputs

    assert given.evaluated is None
    assert given.train.columns == 12


def test_few_columns_and_missing_values_are_not_compared() -> None:
    assert near(DATA[:300, :3].double(), DATA[300:, :3].double()) == 0
    assert near(torch.full((9, 12), torch.nan).double(), DATA.double()) == 0
    assert near(None, DATA.double()) == 0
