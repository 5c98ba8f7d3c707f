from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.encoding import cache, vocabulary
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.stumbling import Stumbled

IDS = torch.randint(3, 60, (32, 10), generator=torch.Generator().manual_seed(0))
RAW = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
CACHED = TensorDataset(RAW * 2, torch.arange(64) % 2)


class Words(nn.Module):
    """Also looks up positions, in a larger table than that of the words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(64, 8)
        self.places = nn.Embedding(512, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.out((self.words(ids) + self.places(torch.arange(ids.shape[1]))).mean(1))
        return made


class Tokenizer(SimpleNamespace):
    def __len__(self) -> int:
        return 60


def told(probe: Any, **pieces: Any) -> Any:
    found: list[Any] = []
    usual: dict[str, Any] = {"model": Words, "loss": F.cross_entropy}
    probe(Bench(Experiment(**(usual | pieces)), found.append))
    return found[0] if found else None


@pytest.mark.parametrize("tokenizer", [60, Tokenizer()])
def test_the_table_that_the_ids_go_into_is_compared(tokenizer: Any) -> None:
    seen = told(vocabulary, batch=(IDS, torch.arange(32) % 2), tokenizer=tokenizer)

    assert (seen.size, seen.table, seen.rows, seen.highest) == (60, "words", 64, 59)
    assert seen.doubled == 0


@pytest.mark.parametrize(("pad", "doubled"), [(0, 32), (1, 0), (None, 32)])
def test_two_beginnings_are_counted_unless_they_may_be_padding(pad: int | None, doubled: int) -> None:
    ids = IDS.clone()
    ids[:, :2] = 1
    seen = told(vocabulary, batch=(ids, torch.arange(32) % 2), tokenizer=Tokenizer(bos_token_id=1, pad_token_id=pad))

    assert (seen.doubled, seen.sequences) == (doubled, 32)


def test_a_model_without_ids_is_not_asked() -> None:
    assert told(vocabulary, model=lambda: nn.Linear(4, 2), batch=(RAW, torch.arange(64) % 2), tokenizer=9) is None


@pytest.mark.parametrize(
    ("fresh", "differing", "words"),
    [
        (lambda i: (RAW[i] * 2, i % 2), 0, ""),
        (lambda i: ((RAW[i] * 2).numpy(), i % 2), 0, ""),
        (lambda i: (RAW[i] * 2 + (i >= 32), i % 2), 8, "tensor 0 is off by up to 1"),
        (lambda i: (RAW[i, :3] * 2, i % 2), 16, "tensor 0 has shape (4,) for (3,) made anew"),
        (lambda i: RAW[i] * 2, 16, "2 tensors for 1 made anew"),
    ],
)
def test_examples_are_compared_value_by_value(fresh: Any, differing: int, words: str) -> None:
    seen = told(cache, model=lambda: nn.Linear(4, 2), train=DataLoader(CACHED, batch_size=8), fresh=fresh)

    assert (seen.examples, seen.differing, seen.told) == (16, differing, words)


def test_random_augmentation_is_seeded_alike() -> None:
    class Noisy(TensorDataset):
        def __getitem__(self, index: int) -> Any:
            return RAW[index] + torch.randn(4), index % 2

    train = DataLoader(Noisy(RAW), batch_size=8)
    seen = told(cache, model=lambda: nn.Linear(4, 2), train=train, fresh=lambda i: (RAW[i] + torch.randn(4), i % 2))

    assert seen.differing == 0


def test_a_set_that_cannot_be_indexed_is_said_so() -> None:
    class Stream(torch.utils.data.IterableDataset[Any]):
        def __iter__(self) -> Any:
            return iter([(RAW[0], 0)])

    with pytest.raises(Stumbled, match="no examples that can be indexed"):
        told(cache, model=lambda: nn.Linear(4, 2), train=DataLoader(Stream()), fresh=lambda i: i)
