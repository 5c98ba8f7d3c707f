"""The tables that batches are taken from, in their own order: a loader's dataset, or what the program's names hold.

A batch that is cut out of a tensor by hand tells neither the tensor nor its other rows. They stand in the variables of
the functions that are running: a tensor or an array whose rows the batch consists of, and one as long that holds the
answers of those rows. Nothing is kept that is not alive anyway but for what is let go while the program runs.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import reading, rows, sites
from firstlight.observe.inside.relations.composing import MOST_COLUMNS
from firstlight.observe.inside.relations.in_order import BatchPlaces, tensors_of

LEAST_ROWS = 128
MOST_VALUES = 1 << 22
"""Of one of them; and below, tables and columns that are held, and lookings, in training and in evaluation."""
MOST_TABLES, MOST_ANSWERS = 8, 24
MOST_LOOKS = 3
MOST_READ = 4096
"""Rows of a dataset."""


class StandingTable(NamedTuple):
    """Rows of numbers in their order, and the answer of each."""

    rows: torch.Tensor
    answers: torch.Tensor


class LoadedFrom(NamedTuple):
    """Where a loader has its examples from. The loader itself may be made anew for every pass."""

    dataset: Any
    collate: Callable[[Any], Any]


class Standing:
    """What was found in the variables of the running functions, the first few times it was looked for."""

    def __init__(self) -> None:
        self._tables: dict[int, Any] = {}
        self._columns: dict[int, Any] = {}
        self._looks: Counter[bool] = Counter()

    def look(self, given: torch.Tensor, training: bool) -> None:
        """For arrays with rows like those of a batch, and for columns of numbers."""
        self._looks[training] += 1
        width = math.prod(given.shape[1:])
        if self._looks[training] > MOST_LOOKS or not 1 < width <= MOST_COLUMNS or not given.is_floating_point():
            return
        for value in variables(sys._getframe(1)):
            wide = math.prod(value.shape[1:]) if _is_table(value) else 0
            if wide == width and len(self._tables) < MOST_TABLES:
                self._tables.setdefault(id(value), value)
            elif wide == 1 and len(self._columns) < MOST_ANSWERS:
                self._columns.setdefault(id(value), value)

    def tables(self, width: int) -> list[torch.Tensor]:
        return [_numbers(value) for value in self._tables.values() if math.prod(value.shape[1:]) == width]

    def columns(self, length: int) -> list[torch.Tensor]:
        return [_numbers(value)[:, 0] for value in self._columns.values() if len(value) == length]


def evaluated_in(standing: Standing, trained: StandingTable, asked: set[int]) -> Iterator[tuple[StandingTable, int]]:
    """Tables that hold the training rows and those asked for by their keys, or are joined of both; how many these are.

    Which column holds the answers of evaluated rows is not known: each that is as long may.
    """
    own = sum(key in asked for key in rows.keys([trained.rows]))
    if own:
        yield trained, own
    for table in standing.tables(trained.rows.shape[1]):
        known = sum(key in asked for key in rows.keys([table]))
        if known and not torch.equal(table, trained.rows):
            for column in standing.columns(len(table)):
                yield joined(trained, StandingTable(table, column)), len(table)


def joined(one: StandingTable, other: StandingTable) -> StandingTable:
    return StandingTable(torch.cat([one.rows, other.rows]), torch.cat([one.answers, other.answers]))


def with_answers(standing: Standing, inputs: torch.Tensor, answer: torch.Tensor) -> StandingTable | None:
    """The table that the examples of a sample are rows of, beside the column that holds their answers at those rows."""
    keys = rows.keys([inputs])
    for table in standing.tables(inputs.shape[1]):
        places = {key: place for place, key in enumerate(rows.keys([table]))}
        known = [(row, places[key]) for row, key in enumerate(keys) if key in places]
        if len(known) < len(keys) or len(places) < len(table) // 2:
            continue
        here, there = (torch.tensor(part) for part in zip(*known, strict=True))
        for column in standing.columns(len(table)):
            if bool((column[there] == answer[here, 0]).all()):
                return StandingTable(table, column)
    return None


def read(source: LoadedFrom, places: BatchPlaces) -> StandingTable | None:
    """The examples that a dataset gives, one after the other."""
    dataset = source.dataset
    if isinstance(dataset, torch.utils.data.IterableDataset) or not hasattr(dataset, "__len__"):
        return None
    count = min(MOST_READ, len(dataset))
    batch = tensors_of(source.collate([dataset[row] for row in range(count)]))
    given, answer = batch[places.given], batch[places.answer]
    whole = len(given) == len(answer) == count and answer.numel() == count
    if not whole or not given.is_floating_point() or math.prod(given.shape[1:]) > MOST_COLUMNS:
        return None
    return StandingTable(_numbers(given), _numbers(answer)[:, 0])


def variables(frame: FrameType | None) -> Iterator[Any]:
    while frame is not None:
        if sites.is_users(frame.f_code.co_filename):
            yield from list(frame.f_locals.values())
            if frame.f_locals is not frame.f_globals:
                yield from list(frame.f_globals.values())
        frame = frame.f_back


def _is_table(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        plain = reading.readable(value) and value.layout is torch.strided and not value.requires_grad
        kind = plain and not value.is_complex()
    else:
        kind = type(value).__name__ == "ndarray" and value.dtype.kind in "fiu" and value.dtype.isnative
    return kind and len(value.shape) > 0 and value.shape[0] >= LEAST_ROWS and 0 < math.prod(value.shape) <= MOST_VALUES


def _numbers(value: Any) -> torch.Tensor:
    found = value.detach() if isinstance(value, torch.Tensor) else torch.from_numpy(value)
    return found.to("cpu", torch.float32).reshape(len(found), -1)
