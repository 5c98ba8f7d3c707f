"""Curves from a table of text: Lightning's CSVLogger with its blanks, semicolons, decimal commas, NaN and inf."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from firstlight.errors import UsageError
from firstlight.integrations.collecting import Collector, sized
from firstlight.records.curves import Logged

COUNTERS = ("step", "global_step", "_step", "train/global_step", "iteration", "iter", "batch", "epoch")
"""Columns that count, the finest first; without any of them the row is the step."""
NO_CURVES = frozenset({*COUNTERS, "_timestamp", "_runtime", "timestamp", "time", "wall time", "created_at"})
DELIMITERS = ",;\t|"
LONGEST_FIELD = 1_000_000


def read(name: str) -> Logged:
    path = sized(Path(name))
    collector = Collector(f"csv:{name}")
    csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            table = _table(next(iter(file), ""))
            file.seek(0)
            rises = _rises(table, csv.reader(file, delimiter=table.delimiter))
            file.seek(0)
            _collect(
                collector, table if rises else replace(table, counter=None), csv.reader(file, delimiter=table.delimiter)
            )
    except csv.Error as error:
        raise UsageError(f"{path} is no table: {error}") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    return collector.done()


@dataclass(frozen=True, slots=True)
class Table:
    delimiter: str
    header: list[str]
    counter: int | None
    """The column that counts steps."""

    def number(self, text: str) -> float | None:
        """Blank cells and words are no values; `NaN` and `inf` are."""
        text = text.strip()
        if self.delimiter == ";" and text.count(",") == 1 and "." not in text:
            text = text.replace(",", ".")
        if text.startswith("tensor("):
            text = text[len("tensor(") :].rstrip(")").partition(",")[0]
        try:
            return float(text.replace("_", "x"))  # float() reads 1_0 as ten; no logger means that
        except ValueError:
            return None


def _table(first: str) -> Table:
    """The delimiter is the one that splits the header into most columns."""
    if not first.strip():
        raise UsageError("the table is empty: its first line should name the columns")
    delimiter = max(DELIMITERS, key=first.count)
    header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]
    lowered = [name.lower() for name in header]
    return Table(delimiter, header, next((lowered.index(name) for name in COUNTERS if name in lowered), None))


def _rises(table: Table, rows: Iterator[list[str]]) -> bool:
    """A counter that begins anew in every epoch is no step: rows are counted instead."""
    before = -math.inf
    for row in islice(rows, 1, None):
        if table.counter is None or len(row) <= table.counter:
            continue
        now = table.number(row[table.counter])
        if now is not None and now < before:
            return False
        before = before if now is None else now
    return table.counter is not None


def _collect(collector: Collector, table: Table, rows: Iterator[list[str]]) -> None:
    skipped = {index for index, name in enumerate(table.header) if not name or name.lower() in NO_CURVES}
    ragged = 0
    for number, row in enumerate(islice(rows, 1, None)):
        if len(row) != len(table.header):
            ragged += bool(row)
            continue
        step = number if table.counter is None else table.number(row[table.counter])
        if step is None or not math.isfinite(step):
            ragged += 1
            continue
        for index, text in enumerate(row):
            if index not in skipped and (value := table.number(text)) is not None:
                collector.add(table.header[index], int(step), value)
    if ragged:
        collector.limited(f"{ragged} rows of the table do not fit its header and were left out")
