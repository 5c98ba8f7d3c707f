"""Whatever a program holds gives the same table."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from firstlight.data.objects import MOST_WIDE, source_of
from firstlight.data.summary import head_of
from firstlight.errors import UsageError

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def rows(given: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = head_of(source_of(given, "train")).to_pylist()
    return found


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": X[:, 0], "y": Y}),
        pl.DataFrame({"a": X[:, 0], "y": Y}),
        pl.LazyFrame({"a": X[:, 0], "y": Y}),
        pa.table({"a": X[:, 0], "y": Y}),
        pa.record_batch({"a": X[:, 0], "y": Y}),
        {"a": X[:, 0], "y": Y},
        {"a": torch.tensor(X[:, 0]), "y": torch.tensor(Y)},
    ],
    ids=lambda frame: f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}",
)
def test_frames(frame: Any) -> None:
    assert rows(frame)[1] == {"a": 2.0, "y": 1}


def test_a_named_index_is_a_column() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["p", "q"], name="who"))

    assert rows(frame)[0] == {"who": "p", "a": 1}


class Squares(Dataset[tuple[torch.Tensor, int]]):
    def __len__(self) -> int:
        return 6

    def __getitem__(self, place: int) -> tuple[torch.Tensor, int]:
        return torch.tensor(X[place]), int(Y[place])


class Endless(IterableDataset[dict[str, Any]]):
    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield {"pixels": torch.zeros(3), "label": 1}


PAIRS = {
    "arrays": (X, Y),
    "tensors": (torch.tensor(X), torch.tensor(Y)),
    "half": (torch.tensor(X, dtype=torch.bfloat16), torch.tensor(Y)),
    "dataset": Squares(),
    "tensor dataset": TensorDataset(torch.tensor(X), torch.tensor(Y)),
    "loader": DataLoader(Squares(), batch_size=4),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_pairs_of_inputs_and_targets(kind: str) -> None:
    source = source_of(PAIRS[kind], "train")

    assert source.target == "target"
    assert head_of(source).to_pylist()[5] == {"x0": 10.0, "x1": 11.0, "target": 1}


def test_inputs_alone() -> None:
    assert rows(X)[1] == {"x0": 2.0, "x1": 3.0}


def test_what_has_no_end_is_cut_and_told() -> None:
    source = source_of(Endless(), "train")

    assert source.parts[0].rows == 50_000
    assert source.name == "train (the first 50,000 examples)"
    assert source.target == "target"


def test_large_examples_are_averaged_down() -> None:
    source = source_of((np.ones((4, 3, 64, 64), dtype=np.float32), np.zeros(4)), "train")
    head = head_of(source)

    assert head.num_columns - 1 <= MOST_WIDE
    assert head["x0"].to_pylist() == [1.0] * 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (7, "`train` is a int; accepted are paths, pandas"),
        ({"a": [1, 2], "b": [1]}, "differ in length"),
        ((X, Y[:3]), "has 6 inputs and 3 targets"),
        ([], "gives no examples"),
        ([(np.zeros(2), 0), (np.zeros(3), 0)], "differ in size"),
        (pd.DataFrame({"a": [1, "x", None]}), "mixes types"),
        ("nowhere.csv", "is not there"),
    ],
)
def test_what_is_no_table_is_told(given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        source_of(given, "train")
