"""What is counted of each column in one pass, and merged over parts."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firstlight.data.hashing import EVERYTHING, is_numeric, numbers_of

MOST_KEYS = 2048
"""Smallest keys kept to estimate how many values differ: within about two per cent."""
MOST_VALUES = 60
"""Different values that are counted one by one."""

NUMERIC = frozenset({"number", "whole", "flag"})
"""Kinds of one nature: whole numbers are numbers, and missing ones make numbers of whole ones."""


def kind_of(arrow_type: Any) -> str:
    types = pa.types
    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    if types.is_boolean(arrow_type):
        return "flag"
    if types.is_integer(arrow_type):
        return "whole"
    if types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    if types.is_string(arrow_type) or types.is_large_string(arrow_type) or types.is_string_view(arrow_type):
        return "text"
    return "time" if types.is_temporal(arrow_type) else "other"


class ColumnTally:
    """Counts of one column."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.rows = self.missing = self.infinite = 0
        self.first_infinite: int | None = None
        self.low: float | None = None
        self.high: float | None = None
        self.finite, self.mean, self._squares = 0, 0.0, 0.0
        self._smallest = np.empty(0, dtype=np.uint64)
        self.counts: dict[str, int] | None = {}

    def add(self, array: Any, keys: Any, first_row: int) -> None:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        self.rows += len(array)
        if is_numeric(array.type) or pa.types.is_temporal(array.type):
            self._add_numbers(numbers_of(array), first_row)
        else:
            self.missing += array.null_count
        self._add_keys(keys, array)

    def _add_numbers(self, numbers: Any, first_row: int) -> None:
        finite = np.isfinite(numbers)
        known = numbers if finite.all() else numbers[finite]
        if len(known) < len(numbers):
            infinite = np.isinf(numbers)
            self.missing += len(numbers) - len(known) - int(infinite.sum())
            if infinite.any():
                self.infinite += int(infinite.sum())
                found = first_row + int(np.argmax(infinite))
                self.first_infinite = found if self.first_infinite is None else min(found, self.first_infinite)
        if len(known):
            with np.errstate(over="ignore", invalid="ignore"):
                mean = float(known.mean())
                self._join(len(known), mean, float(np.square(known - mean).sum()))
            self._widen(float(known.min()), float(known.max()))

    def _join(self, count: int, mean: float, squares: float) -> None:
        """Chan's update: means and sums of squares of two parts make those of the whole."""
        total = self.finite + count
        apart = mean - self.mean
        self._squares += squares + apart * apart * self.finite * count / total
        self.mean += apart * count / total
        self.finite = total

    def _widen(self, low: float, high: float) -> None:
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def _add_keys(self, keys: Any, array: Any) -> None:
        if self.counts is None and len(self._smallest) == MOST_KEYS:
            keys = keys[keys < self._smallest[-1]]
        different = np.unique(keys)
        self._smallest = np.union1d(self._smallest, different[:MOST_KEYS])[:MOST_KEYS]
        if self.counts is None:
            return
        if len(different) > MOST_VALUES:
            self.counts = None
        elif self.kind != "other":
            for each in pc.value_counts(array).to_pylist():
                if each["values"] is not None and each["values"] == each["values"]:
                    self._count(written(each["values"]), each["counts"])

    def _count(self, value: str, times: int) -> None:
        if self.counts is not None:
            self.counts[value] = self.counts.get(value, 0) + times
            self.counts = None if len(self.counts) > MOST_VALUES else self.counts

    def merge(self, other: "ColumnTally") -> None:
        self.rows, self.missing, self.infinite = (
            self.rows + other.rows,
            self.missing + other.missing,
            self.infinite + other.infinite,
        )
        firsts = [first for first in (self.first_infinite, other.first_infinite) if first is not None]
        self.first_infinite = min(firsts, default=None)
        if other.finite and other.low is not None and other.high is not None:
            self._join(other.finite, other.mean, other._squares)
            self._widen(other.low, other.high)
        self._smallest = np.union1d(self._smallest, other._smallest)[:MOST_KEYS]
        if other.counts is None:
            self.counts = None
        for value, times in (other.counts or {}).items():
            self._count(value, times)

    @property
    def spread(self) -> float | None:
        return float(np.sqrt(self._squares / self.finite)) if self.finite else None

    @property
    def distinct(self) -> int:
        """Missing values count as one."""
        if len(self._smallest) < MOST_KEYS:
            return len(self._smallest)
        return min(self.rows, round((MOST_KEYS - 1) / (float(self._smallest[-1]) / float(EVERYTHING))))


def written(value: Any) -> str:
    """A value as text: whole numbers without a point, whatever their type."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)
