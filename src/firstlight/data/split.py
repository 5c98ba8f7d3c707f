"""One split, read: what the pass kept of it, and its columns as facts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data import statistics
from firstlight.data.columns import ColumnTally, written
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

    @property
    def file(self) -> str:
        return self.source.name

    @property
    def layout(self) -> TableLayout:
        return self.summary.layout

    @property
    def names(self) -> list[str]:
        return list(self.summary.schema.names)

    @property
    def inputs(self) -> list[str]:
        return self.layout.inputs(self.names)[:MOST_COMPARED]


def split_of(name: str, source: TableSource, summary: TableSummary) -> Split:
    table, rows = summary.sample.drawn()
    return Split(name, source, summary, table, rows)


def table_seen(split: Split) -> TableSeen:
    columns = tuple(_column(split, name, tally) for name, tally in split.summary.tallies.items())
    return TableSeen(
        file=split.file, split=split.name, rows=split.summary.rows, sampled=len(split.rows), columns=columns
    )


def _column(split: Split, name: str, tally: ColumnTally) -> ColumnSeen:
    array = split.table[name].combine_chunks()
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
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
        **(more(array, tally, split.rows) if more else {}),
    )


def _of_numbers(array: Any, tally: ColumnTally, rows: Any) -> dict[str, Any]:
    numbers = numbers_of(array)
    finite = np.isfinite(numbers)
    known, places = numbers[finite], rows[finite]
    apart, outside = statistics.isolation(known)
    order = outside[np.argsort(-np.abs(known[outside]))][:MOST_EXAMPLES] if len(outside) else outside
    return {
        "low": tally.low,
        "high": tally.high,
        "mean": tally.mean if tally.finite else None,
        "spread": tally.spread,
        "bars": _bars(known),
        "apart": apart,
        "outermost": tuple(f"{written(float(known[each]))} (row {places[each]})" for each in order),
    }


def _of_times(array: Any, tally: ColumnTally, rows: Any) -> dict[str, Any]:
    numbers = numbers_of(array)
    return {"low": instant(tally.low), "high": instant(tally.high), "bars": _bars(numbers[np.isfinite(numbers)])}


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
    lengths = np.array([len(text) for _, text in texts], dtype=float)
    return {"numeric_share": share, "strays": tuple(told)[:MOST_STRAYS] if share else (), "bars": _bars(lengths)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _bars(known: Any) -> tuple[int, ...]:
    if not len(known) or not np.isfinite(known.max() - known.min()):
        return ()
    return tuple(int(count) for count in np.histogram(known, bins=BARS)[0])
