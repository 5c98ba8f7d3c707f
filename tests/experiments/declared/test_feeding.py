from typing import Any

import torch
from msgspec.structs import replace
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.feeding import feeding
from firstlight.facts.derive import derive
from firstlight.records.feed import NOT_CALLED, Echo, FeedSeen

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


def test_validation_batches_of_nothing_but_training_examples_count_too() -> None:
    seen = fed(DATA[:400], DATA[200:600])

    assert (seen.overlap.judged, seen.overlap.shared, seen.overlap.pure) == (400, 200, 0)


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


def test_what_the_loaders_showed_is_not_told_again_by_the_training() -> None:
    read = fed(DATA[:400], DATA[350:])
    trained = replace(read, model=0, echo=Echo(varied=3, compared=3, columns=(1,), padded=2, pad=0, pad_share=0.5))
    told = {seen.model: seen for seen in derive([read, trained]) if isinstance(seen, FeedSeen)}

    assert told[NOT_CALLED] == read
    assert (told[0].inputs, told[0].overlap.shared, told[0].echo.columns) == ((), 0, ())
    assert (told[0].echo.padded, told[0].echo.pad_share) == (2, 0.5)
    assert [seen.model for seen in derive([trained]) if isinstance(seen, FeedSeen) and seen.inputs] == [0]
