"""Rows of a sample as numbers that a tree can be grown on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firstlight.data.columns import kind_of, written
from firstlight.data.hashing import numbers_of
from firstlight.data.statistics import TargetValues

WORDS = 64
"""Columns of hashed words that a column of texts becomes."""
LEAST_WORDS = 3.0
"""On average, from which on a text is read by its words and not taken for a name."""
MOST_CLASSES = 50
ROWS_FOR_A_CLASS = 10
"""Whole numbers are classes where there are so many rows for each, on average."""


@dataclass(frozen=True, slots=True)
class Design:
    values: Any
    """Rows by columns, all finite."""
    owners: tuple[str, ...]
    """The column of the table that each comes from."""

    def without(self, names: Sequence[str]) -> Any:
        return self.values[:, [place for place, owner in enumerate(self.owners) if owner not in names]]

    def of(self, name: str) -> Any:
        return self.values[:, [place for place, owner in enumerate(self.owners) if owner == name]]


def is_prose(column: Any) -> bool:
    """Texts of several words."""
    if kind_of(column.type) != "text" or not len(column):
        return False
    texts = pc.drop_null(_plain(column).slice(0, 500))
    spaces = pc.mean(pc.count_substring(texts, " ")).as_py() if len(texts) else None
    return spaces is not None and spaces + 1 >= LEAST_WORDS


def design(table: Any, names: Sequence[str], like: Any = None) -> Design:
    """`like`: a table whose names are coded the same way, so that two designs can be compared."""
    blocks, owners = [], []
    for name in names:
        block = _block(table[name], table[name] if like is None else like[name])
        blocks.append(block)
        owners += [name] * block.shape[1]
    values = np.concatenate(blocks, axis=1) if blocks else np.empty((table.num_rows, 0))
    return Design(values.astype(np.float32), tuple(owners))


def _block(column: Any, like: Any) -> Any:
    kind = kind_of(column.type)
    if is_prose(like) and kind == "text":
        return _words(column)
    if kind == "other" or kind_of(like.type) == "text" or kind == "text":
        return _codes(column, like).reshape(-1, 1)
    return _finite(numbers_of(_plain(column)), numbers_of(_plain(like))).reshape(-1, 1)


def _plain(column: Any) -> Any:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _finite(numbers: Any, like: Any) -> Any:
    """Missing values lie below all others, infinite ones at the ends."""
    known = like[np.isfinite(like)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    low, high = max(low, -1e30), min(high, 1e30)
    return np.nan_to_num(np.clip(numbers, low, high), nan=low - 1.0 - 0.1 * (high - low))


def _codes(column: Any, like: Any) -> Any:
    """Commonest first; what `like` does not have comes last."""
    common = {value: place for place, (value, _) in enumerate(Counter(map(str, like.to_pylist())).most_common())}
    return np.array([common.get(str(value), len(common)) for value in column.to_pylist()], dtype=np.float64)


def _words(column: Any) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    vectorizer = HashingVectorizer(n_features=WORDS, alternate_sign=False, norm="l2")
    return vectorizer.transform([str(value or "") for value in column.to_pylist()]).toarray()


def target_of(column: Any) -> tuple[TargetValues, Any]:
    """The target as classes or as ranks, and which rows have one."""
    array = _plain(column)
    kind = kind_of(array.type)
    if kind in ("number", "whole", "time"):
        numbers = numbers_of(array)
        known = np.isfinite(numbers)
        different = np.unique(numbers[known])
        if not _is_classes(different, int(known.sum())):
            return TargetValues(_ranks(numbers[known])), known
        names = tuple(written(float(each)) for each in different)
        return TargetValues(np.searchsorted(different, numbers[known]), names), known
    values = array.to_pylist()
    known = np.array([value is not None for value in values], dtype=bool)
    names = tuple(sorted({written(value) for value in values if value is not None}))
    places = {name: place for place, name in enumerate(names)}
    return TargetValues(
        np.array([places[written(value)] for value in values if value is not None], dtype=int), names
    ), known


def _is_classes(different: Any, rows: int) -> bool:
    whole = bool(np.all(different == np.round(different)))
    return whole and len(different) <= MOST_CLASSES and len(different) * ROWS_FOR_A_CLASS <= rows


def _ranks(numbers: Any) -> Any:
    from scipy import stats

    return stats.rankdata(numbers) / max(len(numbers), 1)
