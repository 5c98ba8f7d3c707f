"""One pass, whatever the parts: the same counts, the same sample, the same keys."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from firstlight.data.asking import check_data
from firstlight.data.opening import opened
from firstlight.data.source import TablePart, TableSource
from firstlight.data.summary import (
    TableLayout,
    TableSummary,
    head_of,
    in_this_process,
    is_numbered,
    layout_of,
    summary_of,
)
from firstlight.errors import UnreadableError, UsageError


def source(table: Any) -> TableSource:
    return TableSource(name="t", parts=(TablePart(kind="memory", path="t", rows=table.num_rows, table=table),))


def test_parts_make_the_whole(table: Any) -> None:
    layout = TableLayout(target="y", keys=100, sample_rows=50)
    whole = in_this_process(source(table), layout)
    merged = TableSummary(layout)
    for first, rows in ((600, table[600:]), (0, table[:600])):  # in whatever order they are done
        merged.merge(summary_of(TablePart(kind="memory", table=rows), layout, first))

    for name, tally in whole.tallies.items():
        other = merged.tallies[name]
        assert (tally.rows, tally.missing, tally.distinct, tally.counts) == (
            other.rows, other.missing, other.distinct, other.counts,
        )  # fmt: skip
        assert other.mean == pytest.approx(tally.mean)
        assert other.spread == (None if tally.spread is None else pytest.approx(tally.spread))
    assert merged.sample.drawn()[1].tolist() == whole.sample.drawn()[1].tolist()
    whole.exact.settle()
    assert merged.exact.keys.tolist() == whole.exact.keys.tolist()


def test_counts_are_exact(table: Any) -> None:
    numbers = np.array([1.0, np.nan, np.inf, 3.0])
    summary = in_this_process(source(pa.table({"a": numbers, "b": [None, "x", "x", "z"]})), TableLayout())
    a, b = summary.tallies["a"], summary.tallies["b"]

    assert (a.missing, a.infinite, a.first_infinite, a.low, a.high, a.mean) == (1, 1, 2, 1.0, 3.0, 2.0)
    assert (b.missing, b.counts) == (1, {"x": 2, "z": 1})


def test_many_values_are_estimated_within_five_per_cent() -> None:
    summary = in_this_process(source(pa.table({"a": np.arange(200_000) * 0.5})), TableLayout())

    assert summary.tallies["a"].distinct == pytest.approx(200_000, rel=0.05)
    assert summary.tallies["a"].counts is None


def test_a_sample_is_drawn_evenly_and_told_by_row() -> None:
    summary = in_this_process(source(pa.table({"a": np.arange(50_000)})), TableLayout(sample_rows=1000))
    drawn, rows = summary.sample.drawn()

    assert len(rows) == 1000
    assert drawn["a"].to_pylist() == rows.tolist()
    assert 20_000 < float(rows.mean()) < 30_000


@pytest.mark.parametrize(
    ("values", "numbered"),
    [
        (list(range(100)), True),
        (list(range(1000, 1100)), True),
        ([value * 37 % 1000 for value in range(100)], False),
        ([1, *range(99)], False),
        ([f"{value:08x}" for value in range(100)], True),
        ([f"name {value}" for value in range(100)], False),
        ([float(value) for value in range(100)], False),
        (list(range(49)), False),
    ],
)
def test_columns_that_number_the_rows(values: list[Any], numbered: bool) -> None:
    assert is_numbered(pa.chunked_array([values])) is numbered


def test_a_column_that_is_not_there_is_told_with_the_nearest(table: Any) -> None:
    with pytest.raises(UsageError, match=r"has no column `knd`, named as group\. Did you mean `kind`"):
        layout_of(source(table), table, {"group": "knd"})


def test_columns_of_one_name_are_told() -> None:
    twice = pa.table([[1], [2]], names=["a", "a"])

    with pytest.raises(UsageError, match="several columns named `a`"):
        layout_of(source(twice), twice, {})


def test_times_that_are_texts_are_told(table: Any) -> None:
    with pytest.raises(UsageError, match=r"`kind` of t, named as time, holds texts such as '[xz]'"):
        layout_of(source(table), table, {"time": "kind"})


def test_parts_with_other_columns_are_told(folder: Path) -> None:
    (folder / "parts").mkdir()
    pq.write_table(pa.table({"a": [1]}), "parts/1.parquet")
    pq.write_table(pa.table({"b": [1]}), "parts/2.parquet")

    with pytest.raises(UnreadableError, match=r"2.parquet has the columns b, where parts.1.parquet has a"):
        in_this_process(opened(Path("parts")), TableLayout())


def write_parts(folder: Path, ending: str, *parts: list[Any]) -> None:
    (folder / "parts").mkdir()
    for place, values in enumerate(parts):
        frame = pd.DataFrame({"a": values})
        frame.to_csv(f"parts/{place}.csv", index=False) if ending == "csv" else frame.to_parquet(
            f"parts/{place}.parquet"
        )


def test_parts_with_other_types_are_told(folder: Path) -> None:
    write_parts(folder, "parquet", [1, 2], ["x", "y"])

    for read in (head_of, lambda source: in_this_process(source, TableLayout())):
        with pytest.raises(UnreadableError, match=r"`a` is text in parts.1.parquet and whole in parts.0.parquet"):
            read(opened(Path("parts")))


def test_parts_of_one_nature_are_one_table(folder: Path) -> None:
    write_parts(folder, "parquet", [1, 2], [0.5, None], [None, None])

    assert in_this_process(opened(Path("parts")), TableLayout()).tallies["a"].missing == 3


def test_words_in_a_later_part_of_csv_are_told_as_a_finding(folder: Path) -> None:
    write_parts(folder, "csv", list(range(40)), ["3", "4", "none yet"])

    (found,) = check_data("parts", select=["types-mixed"]).findings
    assert "'none yet' (row 42)" in found.saw


def test_the_head_is_the_first_rows() -> None:
    assert head_of(source(pa.table({"a": np.arange(9000)})))["a"][5999].as_py() == 5999
