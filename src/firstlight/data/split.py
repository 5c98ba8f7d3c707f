"""One split, read: what the pass kept of it, and its columns as facts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data import statistics
from firstlight.data.columns import ColumnTally, kind_of, written
from firstlight.data.hashing import numbers_of
from firstlight.data.source import TableSource
from firstlight.data.summary import TableLayout, TableSummary
from firstlight.records.tables import ColumnSeen, TableSeen

BARS = 24
MOST_EXAMPLES = 3
MOST_STRAYS = 5
MOST_COMPARED = 1000
"""Columns that are compared between rows and splits; what one pass counts is counted for all."""


@dataclass(frozen=True, slots=True)
class Split:
    name: str
    """`train`, `val` or `test`."""
    source: TableSource
    summary: TableSummary
    table: Any
    """The sample."""
    rows: Any
    """The number of each of its rows in the whole table."""
    names: list[str]
    inputs: list[str]
    """Those that are compared."""

    @property
    def file(self) -> str:
        return self.source.name

    def called(self, row: int) -> str:
        """Images by their files, all else by the number of the row."""
        place = int(np.searchsorted(self.rows, row))
        known = self.source.images and place < len(self.rows) and self.rows[place] == row
        return str(self.table["file"][place].as_py()) if known else f"row {row}"

    @property
    def layout(self) -> TableLayout:
        return self.summary.layout


def split_of(name: str, source: TableSource, summary: TableSummary) -> Split:
    table, rows = summary.sample.drawn()
    names = list(summary.schema.names)
    return Split(name, source, summary, table, rows, names, summary.layout.inputs(names)[:MOST_COMPARED])


def table_seen(split: Split, train: Split) -> TableSeen:
    """Columns are drawn over the range they have in the training data, so that pictures can be compared."""
    columns = tuple(_column(split, name, tally, train) for name, tally in split.summary.tallies.items())
    return TableSeen(
        file=split.file, split=split.name, rows=split.summary.rows, sampled=len(split.rows), columns=columns
    )


def _column(split: Split, name: str, tally: ColumnTally, train: Split) -> ColumnSeen:
    array = _plain(split.table[name])
    like = _plain(train.table[name]) if name in train.summary.tallies else array
    more = {"number": _of_numbers, "whole": _of_numbers, "time": _of_times, "text": _of_texts}.get(tally.kind)
    return ColumnSeen(
        name=name,
        kind=tally.kind,
        role=split.layout.role(name),
        missing=tally.missing,
        infinite=tally.infinite,
        first_infinite=tally.first_infinite,
        distinct=tally.distinct,
        counts={} if tally.counts is None else dict(sorted(tally.counts.items(), key=lambda pair: -pair[1])),
        numbered=name in split.layout.numbered,
        bars=_bars(_measured(array), _measured(like)),
        **(more(array, tally, split.rows) if more else {}),
    )


def _plain(column: Any) -> Any:
    array = column.combine_chunks()
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _measured(array: Any) -> Any:
    """What is drawn of a column: numbers and times, and how long texts are."""
    if kind_of(array.type) == "text":
        return np.array([len(text) for text in array.to_pylist() if text is not None], dtype=float)
    numbers = np.empty(0) if kind_of(array.type) in ("other", "flag") else numbers_of(array)
    return numbers[np.isfinite(numbers)]


def _of_numbers(array: Any, tally: ColumnTally, rows: Any) -> dict[str, Any]:
    numbers = numbers_of(array)
    finite = np.isfinite(numbers)
    known, places = numbers[finite], rows[finite]
    apart, outside = statistics.isolation(known)
    order = outside[np.argsort(-np.abs(known[outside]))][:MOST_EXAMPLES] if len(outside) else outside
    units = (
        statistics.two_units(known) if tally.kind == "number" or tally.distinct > statistics.LEAST_OF_A_UNIT else None
    )
    return {
        "unit_factor": None if units is None else units.factor,
        "unit_share": 0.0 if units is None else len(units.rows) / len(known),
        "unit_examples": () if units is None else _examples(known, places, units.rows[:MOST_EXAMPLES]),
        "low": tally.low,
        "high": tally.high,
        "mean": tally.mean if tally.finite else None,
        "spread": tally.spread,
        "apart": apart,
        "outermost": _examples(known, places, order),
    }


def _examples(known: Any, places: Any, chosen: Any) -> tuple[str, ...]:
    return tuple(f"{written(float(f'{known[each]:.10g}'))} (row {places[each]})" for each in chosen)


def _of_times(array: Any, tally: ColumnTally, rows: Any) -> dict[str, Any]:
    return {"low": instant(tally.low), "high": instant(tally.high)}


def instant(microseconds: float | None) -> str | None:
    """A time as it is written, without what is zero."""
    if microseconds is None:
        return None
    text = str(np.datetime64(int(microseconds), "us"))
    return text.removesuffix(".000000").removesuffix("T00:00:00")


def _of_texts(array: Any, tally: ColumnTally, rows: Any) -> dict[str, Any]:
    texts = [(int(row), text) for row, text in zip(rows, array.to_pylist(), strict=True) if text is not None]
    strays = [(row, text) for row, text in texts if not _is_number(text)]
    share = 1 - len(strays) / len(texts) if texts else None
    told = dict.fromkeys(f"{text[:40]!r} (row {row})" for row, text in strays[: 10 * MOST_STRAYS])
    return {"numeric_share": share, "strays": tuple(told)[:MOST_STRAYS] if share else ()}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _bars(known: Any, like: Any) -> tuple[int, ...]:
    """What lies outside the range of `like` counts in its first or last part."""
    if not len(known) or not len(like) or not np.isfinite(like.max() - like.min()):
        return ()
    low, high = float(like.min()), float(like.max())
    return tuple(int(count) for count in np.histogram(np.clip(known, low, high), bins=BARS, range=(low, high))[0])
