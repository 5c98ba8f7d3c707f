"""One pass over a part of a table, and summaries of parts merged to that of the whole."""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data.columns import NUMERIC, ColumnTally, kind_of
from firstlight.data.hashing import Keys, Sketch, is_numeric, keys_of, numbers_of, rows_of
from firstlight.data.sampling import RowSample
from firstlight.data.schemas import RuleTally, SchemaRule
from firstlight.data.source import MixedColumnError, TablePart, TableSource, check_names
from firstlight.errors import UnreadableError, UsageError
from firstlight.records.tables import few

HEAD_ROWS = 6000
"""First rows, kept as they stand: what depends on the order of rows is asked there."""
SAMPLE_ROWS = 20_000
SAMPLE_CELLS = 20_000_000
"""Values of a sample, whatever the number of columns: 160 MB."""
KEYS = 1_000_000
"""Rows whose keys are kept in memory: 24 MB for each kind of key, and for moments four times that."""
FINE = 0.01
"""Rows are nearly equal where their numbers are when rounded to this share of the column's spread."""
LEAST_NUMBERED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLayout:
    """Which column is what: chosen on the first rows of the training data, the same for every split."""

    target: str | None = None
    group: str | None = None
    time: str | None = None
    numbered: tuple[str, ...] = ()
    describes: tuple[str, ...] = ()
    exact_key: str | None = None
    cells: dict[str, float] = field(default_factory=dict)
    """For each column of fractions, the width to which near rows are rounded."""
    rules: tuple[SchemaRule, ...] = ()
    keys: int = KEYS
    sample_rows: int = SAMPLE_ROWS

    def role(self, name: str) -> str:
        roles = {self.target: "target", self.group: "group", self.time: "time"}
        return roles.get(name) or ("about" if name in self.describes or name in self.numbered else "input")

    def inputs(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if self.role(name) == "input"]

    def compared(self, names: Sequence[str]) -> list[str]:
        """Columns that make a row what it is: where and when it was seen counts, its number does not."""
        left_aside = {self.target, *self.numbered, *self.describes}
        return sorted(name for name in names if name not in left_aside)


def layout_of(
    source: TableSource, head: Any, asked: dict[str, str | None], rules: tuple[SchemaRule, ...] = ()
) -> TableLayout:
    """`head` holds the first rows; `asked`, what the user named as target, group and time."""
    names = list(head.schema.names)
    check_names(names, source.name)
    chosen = {role: name for role, name in asked.items() if name is not None}
    if "target" not in chosen and source.target in names:
        chosen["target"] = str(source.target)
    for role, name in chosen.items():
        if name not in names:
            raise UsageError(f"{source.name} has no column `{name}`, named as {role}.{_did_you_mean(name, names)}")
    if "time" in chosen and kind_of(head[chosen["time"]].type) == "text":
        raise UsageError(
            f"`{chosen['time']}` of {source.name}, named as time, holds texts such as "
            f"{head[chosen['time']][0].as_py()!r:.40}. Write times as 2024-03-01 or 2024-03-01 12:30:00."
        )
    aside = {*chosen.values(), *source.describes}
    numbered = tuple(name for name in names if name not in aside and is_numbered(head[name]))
    cells = {}
    for name in names:
        if pa.types.is_floating(head[name].type):
            with np.errstate(over="ignore", invalid="ignore"):
                spread = float(np.nanstd(_finite(head[name])))
            if spread > 0 and np.isfinite(spread):
                cells[name] = FINE * spread
    return TableLayout(
        target=chosen.get("target"),
        group=chosen.get("group"),
        time=chosen.get("time"),
        numbered=numbered,
        describes=source.describes,
        exact_key=source.exact_key,
        cells=cells,
        rules=rules,
        keys=KEYS,
        sample_rows=max(200, min(SAMPLE_ROWS, SAMPLE_CELLS // max(1, len(names)))),
    )


def require_same_columns(before: Any, before_file: str, now: Any, file: str) -> None:
    """Of parts of one table: the same columns, and of one nature. A column without values is of any."""
    if now.names != before.names:
        raise UnreadableError(
            f"{file} has the columns {few(tuple(now.names), 8)}, where {before_file} has "
            f"{few(tuple(before.names), 8)}. Write parts of one table with the same columns."
        )
    for one, other in zip(before, now, strict=True):
        kinds = {kind_of(one.type), kind_of(other.type)}
        if len(kinds) > 1 and not kinds <= NUMERIC and "other" not in kinds:
            raise MixedColumnError(
                one.name,
                f"`{one.name}` is {kind_of(other.type)} in {file} and {kind_of(one.type)} in {before_file}. Write it "
                "as one type in every part.",
            )


def head_of(source: TableSource) -> Any:
    kept: list[Any] = []
    rows = 0
    for part in source.parts:
        for batch in part.batches():
            if kept:
                require_same_columns(kept[0].schema, source.parts[0].path, batch.schema, part.path)
            kept.append(batch.slice(0, HEAD_ROWS - rows))
            rows += kept[-1].num_rows
            if rows >= HEAD_ROWS:
                break
        if rows >= HEAD_ROWS:
            break
    if not kept:
        raise UnreadableError(f"{source.name} holds no rows")
    if not kept[0].schema.names:
        raise UnreadableError(f"{source.name} holds no columns")
    return pa.concat_tables([pa.Table.from_batches([each]) for each in kept], promote_options="permissive")


def _finite(column: Any) -> Any:
    numbers = numbers_of(column.combine_chunks())
    known = numbers[np.isfinite(numbers)]
    return known if len(known) else np.zeros(1)


def is_numbered(column: Any) -> bool:
    """Whole numbers that count the rows, in whatever order, or codes of one length, each of them once."""
    rows, array = len(column), column.combine_chunks()
    kind = kind_of(array.type)
    if rows < LEAST_NUMBERED or kind not in ("whole", "text") or array.null_count:
        return False
    if len(np.unique(keys_of(array))) < rows:
        return False
    if kind == "whole":
        numbers = numbers_of(array)
        return bool(numbers.max() - numbers.min() < 1.5 * rows)
    texts = array.to_pylist()
    return len({len(text) for text in texts}) <= 2 and not any(" " in text for text in texts)


def _did_you_mean(name: str, names: list[str]) -> str:
    small = {each.lower(): each for each in names}
    near = [small[each] for each in difflib.get_close_matches(name.lower(), list(small), n=1, cutoff=0.5)]
    listed = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return f"{f' Did you mean `{near[0]}`?' if near else ''} Its columns are {listed}."


class TableSummary:
    """What one pass keeps; its size does not grow with the number of rows."""

    def __init__(self, layout: TableLayout) -> None:
        self.layout = layout
        self.rows = 0
        self.schema: Any = None
        self.file = ""
        """Of the part whose schema it is."""
        self.tallies: dict[str, ColumnTally] = {}
        self.exact, self.near = Sketch(layout.keys), Sketch(layout.keys)
        self.groups = Sketch(layout.keys)
        self.sample = RowSample(layout.sample_rows)
        self.rules = [RuleTally(rule) for rule in layout.rules]

    def add(self, batch: Any, first_row: int, file: str = "") -> None:
        self._recognise(batch.schema, file)
        rows = np.arange(first_row, first_row + batch.num_rows, dtype=np.int64)
        columns = {name: batch.column(place) for place, name in enumerate(batch.schema.names)}
        keys = {name: keys_of(array) for name, array in columns.items()}
        for name, array in columns.items():
            self.tallies[name].add(array, keys[name], first_row)
        self._add_keys(columns, keys, rows)
        for rule in self.rules:
            rule.add(columns, first_row)
        self.sample.add(batch, rows)
        self.rows += batch.num_rows

    def _recognise(self, schema: Any, file: str) -> None:
        if self.schema is None:
            self.schema, self.file = schema, file
            self.tallies = {one.name: ColumnTally(one.name, kind_of(one.type)) for one in schema}
        else:
            require_same_columns(self.schema, self.file, schema, file)

    def _add_keys(self, columns: dict[str, Any], keys: dict[str, Keys], rows: Any) -> None:
        layout = self.layout
        names = layout.compared(list(columns))
        if layout.exact_key in keys:
            inputs = keys[layout.exact_key]
        else:
            inputs = rows_of([keys[name] for name in names], len(rows))
        target = keys[layout.target] if layout.target in keys else np.zeros(len(rows), dtype=np.uint64)
        self.exact.add(inputs, target, rows)
        rounded = [
            keys_of(columns[name], layout.cells[name])
            if name in layout.cells and is_numeric(columns[name].type)
            else keys[name]
            for name in names
        ]
        by_numbers = layout.cells and layout.exact_key is None  # what cannot be read has no numbers
        self.near.add(rows_of(rounded, len(rows)) if by_numbers else inputs, inputs, rows)
        if layout.group in columns:
            self._add_groups(keys[layout.group], rows)

    def _add_groups(self, keys: Any, rows: Any) -> None:
        different, firsts = np.unique(keys, return_index=True)
        self.groups.add(different, different, rows[firsts])

    def merge(self, other: "TableSummary") -> None:
        if other.schema is not None:
            self._recognise(other.schema, other.file)
            for name, tally in other.tallies.items():
                self.tallies[name].merge(tally)
        self.rows += other.rows
        for own, more in ((self.exact, other.exact), (self.near, other.near), (self.groups, other.groups)):
            own.merge(more)
        self.sample.merge(other.sample)
        for rule, met in zip(self.rules, other.rules, strict=True):
            rule.merge(met)


def summary_of(part: TablePart, layout: TableLayout, first_row: int) -> TableSummary:
    summary = TableSummary(layout)
    for batch in part.batches():
        summary.add(batch, first_row + summary.rows, part.path)
    return summary


Engine = Callable[[TableSource, TableLayout], TableSummary]


def in_this_process(source: TableSource, layout: TableLayout) -> TableSummary:
    whole = TableSummary(layout)
    for part in source.parts:
        for batch in part.batches():
            whole.add(batch, whole.rows, part.path)
    if not whole.rows:
        raise UnreadableError(f"{source.name} holds no rows")
    return whole
