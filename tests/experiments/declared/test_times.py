from typing import Any

import pandas as pd
import polars as pl
import pytest
import torch
from torch import nn

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.times import order, times
from firstlight.records.program import Unseen

DAYS = pd.date_range("2024-01-01", periods=100, freq="D")
AFTER = ["train"] * 80 + ["val"] * 20
AMONG = ["train", "train", "train", "val"] * 25


def told(frame: Any) -> list[Any]:
    found: list[Any] = []
    times(Bench(Experiment(model=nn.Identity, frame=frame), found.append))
    return found


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_column_that_names_the_split(kind: Any) -> None:
    (clean,) = told(kind({"day": DAYS, "split": AFTER}))
    (mixed,) = told(kind({"day": DAYS, "split": AMONG}))

    assert (clean.column, clean.before_last) == ("day", 0.0)
    assert (clean.train_rows, clean.val_rows) == (80, 20)
    assert mixed.before_last == 24 / 25
    assert mixed.interleaved > 0.4


def test_a_table_for_each_split() -> None:
    whole = pd.DataFrame({"x": range(100)}, index=pd.Index(DAYS, name="when"))
    (clean,) = told({"train": whole[:80], "val": whole[80:]})
    (mixed,) = told({"train": whole[::2], "test": whole[1::2]})

    assert (clean.column, clean.before_last) == ("when", 0.0)
    assert mixed.before_last > 0.9


def test_without_times_or_splits_nothing_is_told() -> None:
    assert told(pd.DataFrame({"x": [1, 2], "split": ["train", "val"]})) == []
    assert told(pd.DataFrame({"day": DAYS[:2]})) == []
    assert told({"x": [1, 2]}) == []


def test_times_may_be_numbers() -> None:
    seen = order("t", [1, 2, 3], [3, 4])

    assert (seen.before_last, seen.train_last, seen.val_first) == (0.5, "3", "3")


@pytest.mark.parametrize("frame", [torch.randn(20, 3), [1, 2, 3], {"a": [1, 2], "b": [1]}])
def test_what_is_no_table_is_said_to_be_none(frame: Any) -> None:
    (unseen,) = told(frame)

    assert isinstance(unseen, Unseen)
    assert unseen.tap == "times"
