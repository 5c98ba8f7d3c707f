"""Where the texts of a dataset may be, and that nothing else is taken for them."""

import random
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset

from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.relations.texts import TextsHeld
from firstlight.records.merged import Merged

ROWS, LENGTH = 300, 12
LETTERS = "AaBb"


def texts() -> list[str]:
    """No variable of this file holds them: it would be found."""
    return ["".join(random.Random(row).choices(LETTERS, k=LENGTH)) for row in range(ROWS)]


IDS = torch.tensor([["ab".index(one.lower()) + 1 for one in text] for text in texts()])
ANSWERS = torch.tensor([sum(one.isupper() for one in text) for text in texts()]).float()


class Holding(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    def __init__(self, held: Any) -> None:
        self.held = held

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, row: int) -> tuple[torch.Tensor, torch.Tensor]:
        return IDS[row], ANSWERS[row]


def asked(dataset: Any) -> tuple[bool, Merged]:
    held, loader = TextsHeld(), DataLoader(dataset, 32)
    held.look(loader)
    return held.any, held.merged(loader, BatchPlaces(0, 1)) if held.any else Merged()


@pytest.mark.parametrize(
    "held",
    [
        texts(),
        tuple(texts()),
        np.array(texts()),
        np.array(texts(), dtype=object),
        [(text, 1.0) for text in texts()],
        [{"label": 1, "text": text} for text in texts()],
    ],
    ids=["list", "tuple", "array", "objects", "pairs", "dicts"],
)
def test_texts_that_a_dataset_holds(held: Any) -> None:
    found = asked(Holding(held))[1]

    assert found.count == 2
    assert found.apart > 0.6 > 0.3 > found.fed


def test_a_part_of_a_dataset_is_of_all_its_texts() -> None:
    assert asked(Subset(Holding(texts()), range(200)))[1].count == 2


def test_a_column_of_a_table() -> None:
    table = pytest.importorskip("pandas").DataFrame({"text": texts(), "worth": ANSWERS.numpy()}).sample(frac=1.0)

    assert asked(Holding(table.sort_index()))[1].count == 2
    assert asked(Holding(table)) == (True, Merged())


def test_other_lists_are_no_texts() -> None:
    for held in (texts()[:-1], list(range(ROWS)), [None] * ROWS, {"text": "a"}):
        assert asked(Holding(held)) == (False, Merged())
    assert asked(TensorDataset(IDS, ANSWERS)) == (False, Merged())
