from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.labels import labels
from firstlight.records.declared import LabelsSeen

X = torch.randn(300, 12, generator=torch.Generator().manual_seed(0))


def seen(train: Any, val: Any = None, **pieces: Any) -> LabelsSeen | None:
    told: list[Any] = []
    loaders = [None if one is None else DataLoader(TensorDataset(*one), batch_size=32) for one in (train, val)]
    experiment = Experiment(
        model=lambda: nn.Linear(12, 4), train=loaders[0], val=loaders[1], loss=F.cross_entropy, **pieces
    )
    labels(Bench(experiment, told.append))
    return told[0] if told else None


@given(st.lists(st.integers(0, 3), min_size=20, max_size=60), st.integers(0, 10))
def test_every_contradiction_is_counted(classes: list[int], doubled: int) -> None:
    y = torch.tensor(classes)
    found = seen((torch.cat([X[: len(y)], X[:doubled]]), torch.cat([y, (y[:doubled] + 1) % 4])))

    assert found is not None
    assert (found.repeated, found.conflicting, found.train) == (2 * doubled, 2 * doubled, len(y) + doubled)


def test_doubles_with_the_same_label_do_not_contradict() -> None:
    y = torch.arange(300) % 3
    found = seen((torch.cat([X, X[:50]]), torch.cat([y, y[:50]])))

    assert found is not None
    assert (found.repeated, found.conflicting) == (100, 0)
    assert found.room > 64


def test_a_few_categories_leave_little_room() -> None:
    found = seen((torch.randint(0, 2, (300, 12)).float(), torch.arange(300) % 3))

    assert found is not None
    assert found.room < 64


def test_classes_of_one_split_alone_are_named() -> None:
    found = seen((X[:200], torch.arange(200) % 2), (X[200:], torch.arange(100) % 4))

    assert found is not None
    assert (found.unseen, found.unseen_classes, found.unseen_examples, found.whole) == ((2, 3), 2, 50, True)


def test_batches_of_one_class_are_counted() -> None:
    found = seen((X[:288], torch.tensor([0, 2, 1] * 3).repeat_interleave(32)))

    assert found is not None
    assert (found.batching.batches, found.batching.single, found.batching.kinds) == (9, 9, 3)
    assert (found.batching.up, found.batching.down) == (3, 5)


def test_a_sampler_that_leaves_examples_out_is_not_the_whole() -> None:
    told: list[Any] = []
    data = TensorDataset(X, torch.arange(300) % 3)
    train = DataLoader(data, batch_size=32, sampler=list(range(100)))
    labels(Bench(Experiment(model=lambda: nn.Linear(12, 3), train=train, loss=F.cross_entropy), told.append))

    assert not told[0].whole


def test_values_and_sequences_are_no_classes() -> None:
    assert seen((X, torch.randn(300, 1))) is None
    assert seen((X, torch.zeros(300, 5, dtype=torch.long))) is None
    assert seen((X, torch.arange(300)), task="regression") is None
