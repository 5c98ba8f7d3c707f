from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from torch import nn

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.foresight import foresight
from firstlight.records.declared import FeaturesAhead

HOURS = pd.date_range("2024-01-01", periods=200, freq="h")
LOAD = np.random.default_rng(0).normal(size=200)
TABLE = pd.DataFrame({"load": LOAD}, index=HOURS)


def told(frame: Any, features: Callable[[Any], Any]) -> FeaturesAhead | None:
    found: list[Any] = []
    foresight(Bench(Experiment(model=nn.Identity, frame=frame, features=features), found.append))
    return found[0] if found else None


def ahead(frame: Any, features: Callable[[Any], Any]) -> dict[str, int]:
    """Names of the columns that change, with how far before the cut they do."""
    made = told(frame, features)
    assert made is not None
    return {column.name: column.farthest for column in made.columns}


@pytest.mark.parametrize(
    "features",
    [
        lambda t: t.diff(),
        lambda t: t.rolling(6).mean().dropna(),
        lambda t: t.ewm(span=5).mean(),
        lambda t: t.expanding().std(),
        lambda t: pd.DataFrame({"load": t.load, "target": t.load.shift(-1)}),
        lambda t: (t, t.load.shift(-1)),
        lambda t: t + np.random.normal(size=t.shape),
        lambda t: torch.tensor(t.to_numpy()),
        lambda t: t.shift(-1).shift(1),
    ],
)
def test_features_of_the_past_do_not_change(features: Callable[[Any], Any]) -> None:
    assert ahead(TABLE, features) == {}


@pytest.mark.parametrize(
    ("features", "farthest"),
    [
        (lambda t: t.shift(-1), 1),
        (lambda t: t.shift(-3), 3),
        (lambda t: t.rolling(7, center=True, min_periods=1).mean(), 3),
        (lambda t: (t - t.mean()) / t.std(), 158),
        (lambda t: t.rank(pct=True), 158),
    ],
)
def test_features_of_the_future_do(features: Callable[[Any], Any], farthest: int) -> None:
    assert ahead(TABLE, features) == {"load": farthest}


def test_every_kind_of_table() -> None:
    whole = {"time": HOURS.to_numpy(), "load": LOAD}

    assert ahead(pl.DataFrame(whole), lambda t: t.select(pl.col("load").shift(-1))) == {"load": 1}
    assert ahead(whole, lambda t: {"load": np.append(t["load"][1:], np.nan)}) == {"load": 1}
    assert ahead(pa.table(whole), lambda t: t.select(["load"]).to_pandas().shift(-1)) == {"load": 1}


@pytest.mark.parametrize(
    "frame",
    [
        TABLE.reset_index(drop=True),
        TABLE[::-1],
        TABLE[:39],
        torch.randn(200, 1),
        {"train": TABLE, "val": TABLE},
    ],
)
def test_rows_without_an_order_of_time_are_not_asked(frame: Any) -> None:
    assert told(frame, lambda t: t) is None
