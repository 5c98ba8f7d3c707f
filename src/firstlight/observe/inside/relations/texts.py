"""The texts that rows of ids were made of, where the program still holds them: in a variable, or within its dataset."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside.relations.in_order import BatchPlaces, tensors_of, undivided
from firstlight.observe.inside.relations.kept_rows import within
from firstlight.observe.inside.relations.merging import LEAST_TEXTS, MOST_TEXTS, merged
from firstlight.observe.inside.relations.standing import variables
from firstlight.records.merged import Merged

MOST_LISTS, MOST_LOOKS = 8, 2
MOST_PARTS = 32
"""Entries of a row that are looked at."""
SAMPLE = 16
"""Its first rows, by which it is known what a list holds."""
TABLES = ("DataFrame", "Dataset")
COLUMNS = ("Series", "ndarray")
OF_TEXTS = ("O", "U", "T")
"""Kinds of columns, as NumPy and pandas call them."""


class Texts(NamedTuple):
    held: Any
    key: Any
    """Of the text within a row; None where a row is a text."""

    def at(self, rows: Sequence[int]) -> list[str]:
        if type(self.held).__name__ in TABLES:
            column = list(self.held[self.key])
            return [str(column[row]) for row in rows]
        every = self.held if isinstance(self.held, list | tuple) else list(self.held)
        return [str(every[row] if self.key is None else every[row][self.key]) for row in rows]


class TextsHeld:
    """What is as long as the dataset, as it was when training began."""

    def __init__(self) -> None:
        self._found: list[Texts] = []
        self._looks = 0

    def look(self, loader: Any) -> None:
        dataset = undivided(getattr(loader, "dataset", None))
        if self._looks >= MOST_LOOKS or not hasattr(dataset, "__len__"):
            return
        self._looks += 1
        seen: set[int] = set()
        for value in (*variables(sys._getframe(1)), *within(dataset, len(dataset))):
            if id(value) not in seen and len(self._found) < MOST_LISTS:
                seen.add(id(value))
                with contextlib.suppress(Exception):  # whatever the user's own tables raise is not ours
                    self._found += [Texts(value, key) for key in _keys(value, len(dataset))]

    @property
    def any(self) -> bool:
        return bool(self._found)

    def merged(self, loader: Any, places: BatchPlaces) -> Merged:
        """In a copy of the process."""
        dataset = undivided(loader.dataset)
        rows = torch.linspace(0, len(dataset) - 1, min(MOST_TEXTS, len(dataset))).long().tolist()
        if len(rows) < LEAST_TEXTS:
            return Merged()
        batch = tensors_of(loader.collate_fn([dataset[row] for row in rows]))
        ids, answer = batch[places.given], batch[places.answer]
        if ids.is_floating_point() or len(ids) != len(rows) or len(answer) != len(rows):
            return Merged()
        found = [merged(texts.at(rows), ids, answer) for texts in self._found]
        return max(found, key=lambda one: one.apart - one.fed, default=Merged())


def _keys(value: Any, examples: int) -> Iterator[Any]:
    """Where the texts of a row are, if there is one for each example."""
    kind = type(value).__name__
    if not (isinstance(value, list | tuple) or kind in (*TABLES, *COLUMNS)) or len(value) != examples:
        return
    if kind in TABLES:
        names = list(value.columns if hasattr(value, "columns") else value.column_names)[:MOST_PARTS]
        yield from (name for name in names if isinstance(next(iter(value[name]), None), str))
        return
    if kind in COLUMNS and (value.ndim != 1 or value.dtype.kind not in OF_TEXTS):
        return
    some = [one for one, _ in zip(value, range(SAMPLE), strict=False)]
    if all(isinstance(one, str) for one in some):
        yield None
    elif all(isinstance(one, dict) for one in some):
        yield from (key for key in list(some[0])[:MOST_PARTS] if all(isinstance(one.get(key), str) for one in some))
    elif all(isinstance(one, list | tuple) for one in some):
        width = min(MOST_PARTS, *(len(one) for one in some))
        yield from (place for place in range(width) if all(isinstance(one[place], str) for one in some))
