"""Whatever a program holds gives the same table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from firstlight.data.objects import MOST_WIDE, source_of, sources_of
from firstlight.data.summary import head_of
from firstlight.errors import UnreadableError, UsageError

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
        np.array(list(zip(X[:, 0], Y, strict=True)), dtype=[("a", float), ("y", int)]),
        datasets.Dataset.from_dict({"a": X[:, 0], "y": Y}),
        datasets.Dataset.from_dict({"a": X[:, 0], "y": Y}).to_iterable_dataset(),
        pd.DataFrame({"a": X[:, 0], "y": Y}).to_dict("records"),
    ],
    ids=lambda frame: f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}",
)
def test_frames(frame: Any) -> None:
    assert rows(frame)[1] == {"a": 2.0, "y": 1}


def test_a_named_index_is_a_column() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["p", "q"], name="who"))

    assert rows(frame)[0] == {"who": "p", "a": 1}


def test_a_frame_keeps_its_names_beside_its_targets() -> None:
    source = source_of((pd.DataFrame({"a": [1, 2], "b": ["p", "q"]}), pd.Series([0, 1])), "train")

    assert head_of(source).to_pylist()[1] == {"a": 2, "b": "q", "target": 1}
    assert source.target == "target"


def test_every_field_of_an_example_is_kept() -> None:
    examples = [{"pixels": np.arange(2) + place, "size": place, "label": "p"} for place in range(3)]
    source = source_of(examples, "train")

    assert head_of(source).to_pylist()[2] == {"pixels0": 2, "pixels1": 3, "size": 2, "label": "p"}
    assert source.target == "label"


FRAME = pd.DataFrame({"a": X[:, 0], "y": Y})


@pytest.mark.parametrize("kind", ["folder", "dataset dict", "dictionary of frames"])
def test_what_holds_several_splits_gives_them_all(kind: str, tmp_path: Path) -> None:
    held: Any = {"train": FRAME, "validation": FRAME[:2]}
    if kind == "dataset dict":
        held = datasets.DatasetDict({name: datasets.Dataset.from_pandas(frame) for name, frame in held.items()})
    if kind == "folder":
        for name, frame in held.items():
            frame.to_parquet(tmp_path / f"{name}.parquet")
        held = tmp_path
    found = sources_of({"train": held, "val": None, "test": FRAME[2:]})

    assert {name: head_of(source).num_rows for name, source in found.items()} == {"train": 6, "val": 2, "test": 4}
    assert list(sources_of({"train": {"train": X[:, 0], "y": Y}})) == ["train"]  # a column of that name


def test_several_files_are_one_table(tmp_path: Path) -> None:
    for name in ("a", "b"):
        FRAME.to_parquet(tmp_path / f"{name}.parquet")

    assert len(rows([str(tmp_path / "a.parquet"), tmp_path / "b.parquet"])) == 12
    assert rows(["just", "texts"])[1] == {"x0": "texts"}


class Squares(Dataset[tuple[torch.Tensor, int]]):
    def __len__(self) -> int:
        return 6

    def __getitem__(self, place: int) -> tuple[torch.Tensor, int]:
        return torch.tensor(X[place]), int(Y[place])


class Breaks(Squares):
    def __getitem__(self, place: int) -> tuple[torch.Tensor, int]:
        return super().__getitem__(place if place < 4 else 1 // 0)


def test_an_example_that_cannot_be_made_is_told() -> None:
    with pytest.raises(UnreadableError, match="`train` fails at its example 4: ZeroDivisionError") as told:
        source_of(Breaks(), "train")

    assert isinstance(told.value.__cause__, ZeroDivisionError)  # the user's own lines


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
    "lists": (X.tolist(), Y.tolist()),
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
    assert source.target == "label"


def test_large_examples_are_averaged_down() -> None:
    source = source_of((np.ones((4, 3, 64, 64), dtype=np.float32), np.zeros(4)), "train")
    head = head_of(source)

    assert head.num_columns - 1 <= MOST_WIDE
    assert head["x0"].to_pylist() == [1.0] * 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (7, "`train` is a int; accepted are paths and lists of them, pandas"),
        ({"a": [1, 2], "b": [1]}, "differ in length"),
        ((X, Y[:3]), "has 6 inputs and 3 targets"),
        ([], "gives no examples"),
        ([(np.zeros(2), 0), (np.zeros(3), 0)], "differ in size"),
        (pd.DataFrame({"a": [1, "x", None]}), "mixes types"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "several columns named `a`"),
        ("nowhere.csv", "is not there"),
    ],
)
def test_what_is_no_table_is_told(given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        source_of(given, "train")


def test_no_training_data_are_told() -> None:
    with pytest.raises(UsageError, match="`train` is None"):
        sources_of({"train": None, "val": FRAME})
