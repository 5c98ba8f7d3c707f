"""Keys of values and rows that are equal exactly where the values are, in every process and on every machine."""

from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Keys = np.ndarray[Any, np.dtype[np.uint64]]
MISSING = np.uint64(0x9E3779B97F4A7C15)
ONE_PART = np.uint64(0xBF58476D1CE4E5B9)
OTHER_PART = np.uint64(0x94D049BB133111EB)
EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


def mixed(numbers: Any) -> Keys:
    """Each 64-bit number scattered over all 64 bits: the last step of SplitMix64."""
    with np.errstate(over="ignore"):
        keys = np.asarray(numbers, dtype=np.uint64) + MISSING
        keys = (keys ^ (keys >> np.uint64(30))) * ONE_PART
        keys = (keys ^ (keys >> np.uint64(27))) * OTHER_PART
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def numbers_of(array: Any) -> Any:
    """A numeric, boolean or time column as float64, missing values as NaN."""
    kind = array.type
    if pa.types.is_temporal(kind) and not pa.types.is_duration(kind):
        array = pc.cast(array, pa.timestamp("us"), safe=False).cast(pa.int64())
    elif pa.types.is_duration(kind) or pa.types.is_time(kind):
        array = array.cast(pa.int64(), safe=False)
    return pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False).astype(np.float64, copy=False)


def keys_of(array: Any, cell: float | None = None) -> Keys:
    """A key for each value. Numbers that are equal have equal keys whatever their type; a `cell` rounds them first."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if is_numeric(array.type) or pa.types.is_temporal(array.type):
        numbers = numbers_of(array)
        if cell:
            with np.errstate(invalid="ignore", over="ignore"):
                numbers = np.round(numbers / cell)
        return _keys_of_numbers(numbers)
    return _keys_of_objects(array)


def is_numeric(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind))


def _keys_of_numbers(numbers: Any) -> Keys:
    numbers = numbers + 0.0  # so that -0.0 is 0.0
    keys = mixed(np.ascontiguousarray(numbers).view(np.uint64))
    keys[np.isnan(numbers)] = MISSING
    return keys


def _keys_of_objects(array: Any) -> Keys:
    """Texts, bytes and nested values: each different one is hashed once."""
    try:
        encoded = pc.dictionary_encode(array)
        values, places = encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        values, places = array.to_pylist(), np.arange(len(array), dtype=np.float64)
    known = np.array([_digest(value) for value in values] or [0], dtype=np.uint64)
    places = np.asarray(places, dtype=np.float64)
    absent = np.isnan(places)
    keys = known[np.where(absent, 0, places).astype(np.int64)]
    keys[absent] = MISSING
    return keys


def _digest(value: object) -> int:
    if value is None:
        return int(MISSING)
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def rows_of(columns: list[Keys], rows: int) -> Keys:
    """One key for each row; the order of the columns counts."""
    keys = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        keys = mixed(keys ^ column)
    return keys


class Sketch:
    """Keys with what goes with them, of all rows, or of a share that the keys choose themselves.

    A key is kept where it is below a bound. The bound is halved whenever too many are kept, so that memory is bounded,
    and all copies of a key are in the sketch or none is: shares within it are shares of the whole.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.bound = EVERYTHING
        self.seen = 0
        self._waiting: list[tuple[Keys, Keys, Any]] = []
        self._count = 0
        empty = np.empty(0, dtype=np.uint64)
        self.keys, self.partners = empty, empty
        self.rows = np.empty(0, dtype=np.int64)

    def add(self, keys: Keys, partners: Keys, rows: Any) -> None:
        self.seen += len(keys)
        kept = keys <= self.bound
        if kept.any():
            self._waiting.append((keys[kept], partners[kept], rows[kept]))
            self._count += int(kept.sum())
        if self._count > 2 * self.most:
            self.settle()

    def merge(self, other: "Sketch") -> None:
        other.settle()
        self.bound = min(self.bound, other.bound)
        self.seen += other.seen
        self._waiting.append((other.keys, other.partners, other.rows))
        self.settle()

    def settle(self) -> None:
        """Everything kept so far, in order of keys and then of rows."""
        parts = [(self.keys, self.partners, self.rows), *self._waiting]
        keys, partners, rows = (np.concatenate([part[place] for part in parts]) for place in range(3))
        kept = keys <= self.bound
        while kept.sum() > self.most and len(np.unique(keys[kept])) > 1:
            self.bound = self.bound >> np.uint64(1)
            kept = keys <= self.bound
        keys, partners, rows = keys[kept], partners[kept], rows[kept]
        order = np.lexsort((rows, keys))[: 2 * self.most]
        self.keys, self.partners, self.rows = keys[order], partners[order], rows[order]
        self._waiting, self._count = [], len(self.keys)

    @property
    def whole(self) -> bool:
        return bool(self.bound == EVERYTHING)
