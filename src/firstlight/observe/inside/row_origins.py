"""Where the rows of a table come from: followed by value through tables that hold them, also beside other columns."""

from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import reading, rows

Label = dict[int, bool]
"""By the number of a fit: whether this row was among those it was fitted on."""

MOST_TABLES = 24
MOST_ROWS = 50_000
MOST_COLUMNS = 64
MOST_WIDTH = 512
SAMPLE = 32
"""Rows by which columns are known again."""
NUMERIC = "fiub"


class KnownTable(NamedTuple):
    columns: torch.Tensor
    """Each sorted by itself."""
    labels: dict[int, Label]
    """By the key of a row."""


class RowOrigins:
    def __init__(self) -> None:
        self.tables: list[KnownTable] = []

    def add(self, table: torch.Tensor, labels: list[Label]) -> None:
        """Of rows that are alike, one that was not fitted on speaks for all."""
        if len(self.tables) >= MOST_TABLES or len(table) > MOST_ROWS or table.shape[1] > MOST_COLUMNS:
            return
        known: dict[int, Label] = {}
        for key, label in zip(rows.keys([table]), labels, strict=True):
            _join(known.setdefault(key, dict(label)), label)
        self.tables.append(KnownTable(table.t().contiguous().sort(1).values, known))

    def of(self, table: torch.Tensor | None) -> list[Label]:
        """For each row, what is known of it."""
        if table is None or table.shape[1] > MOST_WIDTH:
            return [{} for _ in range(0 if table is None else len(table))]
        found: list[Label] = [{} for _ in range(len(table))]
        for known in self.tables:
            places = _places(known.columns, table)
            if places is not None:
                for label, key in zip(found, rows.keys([table[:, places]]), strict=True):
                    _join(label, known.labels.get(key, {}))
        return found


def _join(label: Label, other: Label) -> None:
    for number, inside in other.items():
        label[number] = label.get(number, True) and inside


def _places(columns: torch.Tensor, table: torch.Tensor) -> list[int] | None:
    """For each column known, the place of the one here that has its values; None where one is missing."""
    if len(columns) > table.shape[1]:
        return None
    some = table[torch.linspace(0, len(table) - 1, min(SAMPLE, len(table))).long()]
    found: list[int] = []
    for column in columns:
        near = torch.searchsorted(column, some.contiguous()).clamp_max(len(column) - 1)
        fits = (column[near] == some).all(0)
        free = [place for place in torch.nonzero(fits).reshape(-1).tolist() if place not in found]
        if not free:
            return None
        found.append(free[0])
    return found


def table_of(values: Any) -> torch.Tensor | None:
    """A plain table of numbers, as a model would be given it; None for everything else."""
    if isinstance(values, torch.Tensor):
        plain = values.ndim == 2 and reading.readable(values) and values.layout is torch.strided
        return values.detach().to("cpu", torch.float32) if plain else None
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if type(array).__module__ != "numpy" or getattr(array, "ndim", 0) != 2 or array.dtype.kind not in NUMERIC:
        return None
    return torch.from_numpy(array.astype("float32", copy=True)) if array.size else None
