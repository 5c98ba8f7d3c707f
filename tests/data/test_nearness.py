"""Rows that were copied and disturbed a little are found; rows that merely lie close are not."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from firstlight.data.asking import check_data
from firstlight.data.nearness import _neighbours

DRAW = np.random.default_rng(9)


def shared(train: dict[str, np.ndarray], val: dict[str, np.ndarray]) -> int:
    report = check_data(pa.table(train), val=pa.table(val), select=["splits-share-rows", "rows-repeat"])
    found = [finding for finding in report.findings if finding.name == "splits-share-rows"]
    return int(str(found[0].evidence["near"])) if found else 0


def table(rows: int, columns: int = 12) -> dict[str, np.ndarray]:
    return {f"x{place}": DRAW.normal(size=rows) for place in range(columns)}


@pytest.mark.parametrize("disturbed", [lambda x: np.round(x, 2), lambda x: x * 1.0005, lambda x: x.astype("float16")])
def test_copies_that_were_rounded_or_disturbed(disturbed: Callable[[np.ndarray], np.ndarray]) -> None:
    train, val = table(1000), table(300)
    for name, column in val.items():
        column[:30] = disturbed(train[name][:30])

    assert shared(train, val) == 30


def test_words_must_be_the_same() -> None:
    train, val = table(1000), table(300)
    for name, column in val.items():
        column[:30] = np.round(train[name][:30], 2)
    train["kind"], val["kind"] = np.repeat("a", 1000), np.repeat("b", 300)

    assert shared(train, val) == 0


def test_a_smooth_series_split_at_random_has_near_rows_by_nature() -> None:
    series = np.sin(np.arange(2000) / 50) + 0.001 * np.arange(2000)
    rows = {f"lag{lag}": series[10 - lag : 1990 - lag] for lag in range(5)}
    order = DRAW.permutation(1980)

    assert (
        shared(*({name: column[part] for name, column in rows.items()} for part in (order[:1500], order[1500:]))) == 0
    )


def test_equal_rows_are_no_near_copies() -> None:
    """However far from zero: distances by way of squares are not quite 0 there."""
    rows = np.random.default_rng(0).normal(size=(300, 4)) + 0.123
    _, distances = _neighbours(rows * 3e3, rows[:40] * 3e3, None)

    assert (distances[:, 0] == 0).all()
