"""Which stored examples a tensor was made of: followed from where rows are taken to where they are fed.

What is done to an example on the way (noise, masks, crops) makes other values of it in each pass, but no new example.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import torch

from firstlight.observe.inside import reading

Codes = tuple[Hashable, ...]

TAKES = frozenset({"__getitem__", "index_select"})
JOINS = frozenset({"stack", "cat", "concat", "concatenate", "vstack", "pad_sequence"})
SAMPLED = 8
"""Elements by which what is stored in a place is told from what was stored there before."""
DEEPEST = 16
"""Times in a row that something is taken of what was taken; further down, rows are those of the last."""
DISTINCT = 0.75
"""Share of a batch's rows. Where it has the same ones again and again they are patterns that examples are made of."""


class RowsTaken:
    """Rows of something stored; which they are is worked out when asked."""

    __slots__ = ("_codes", "_find", "depth")

    def __init__(self, find: Callable[[], Iterable[Hashable]], depth: int = 0) -> None:
        self._find, self.depth = find, depth
        self._codes: Codes | None = None

    @property
    def codes(self) -> Codes:
        if self._codes is None:
            self._codes = tuple(self._find())
        return self._codes


def rows_of(taken: RowsTaken | None, examples: int) -> Codes | None:
    """One for each example; None where that is not known."""
    codes = () if taken is None else taken.codes
    return codes if len(codes) == examples and len(set(codes)) >= DISTINCT * examples else None


def followed(
    name: str, arguments: Sequence[Any], earlier: Sequence[RowsTaken | None], stored: bool
) -> RowsTaken | None:
    """What one call gave, from the rows behind its tensors in their order; `stored`: the first is data."""
    if name in TAKES and earlier and len(arguments) > 1 and isinstance(arguments[0], torch.Tensor):
        return _picked(name, arguments, earlier, stored)
    if name in JOINS and arguments and isinstance(arguments[0], list | tuple):
        parts = [part for part in earlier[: len(arguments[0])] if part is not None]
        whole = len(parts) == len(arguments[0]) > 0
        return _joined(parts, apart=name in ("stack", "pad_sequence")) if whole else None
    return next((taken for taken in earlier if taken is not None), None)


def _picked(name: str, arguments: Sequence[Any], earlier: Sequence[RowsTaken | None], stored: bool) -> RowsTaken | None:
    source, index = arguments[0], arguments[-1]
    if name == "index_select" and arguments[1] not in (0, -source.ndim):
        return earlier[0]
    if isinstance(index, tuple) and index:
        index = index[0]
    if len(earlier) > 1 and earlier[1] is not None and isinstance(index, torch.Tensor):
        return earlier[1]  # a table is asked about stored examples
    if not _chooses(index):
        return earlier[0]
    of = earlier[0]
    if of is not None and of.depth < DEEPEST:
        return RowsTaken(lambda: _chosen(of.codes, index) if len(of.codes) == len(source) else of.codes, of.depth + 1)
    return of if of is not None or not source.ndim or not stored else _first_taken(source, index)


def _first_taken(source: torch.Tensor, index: Any) -> RowsTaken:
    place = (source.data_ptr(), 0 if source.is_inference() else source._version, tuple(source.shape))

    def find() -> Iterable[Hashable]:
        flat = source.detach().reshape(-1)
        known = (*place, *flat[:: max(1, len(flat) // SAMPLED)].tolist())
        return ((known, row) for row in _chosen(range(len(source)), index))

    return RowsTaken(find)


def _joined(parts: list[RowsTaken], apart: bool) -> RowsTaken:
    """Stacked parts are an example each: a row, or a window that begins with one."""
    if apart:
        return RowsTaken(lambda: [(len(part.codes), *part.codes[:1]) for part in parts])
    return RowsTaken(lambda: [code for part in parts for code in part.codes])


def _chooses(index: Any) -> bool:
    if isinstance(index, torch.Tensor):
        return index.ndim <= 1 and not index.is_floating_point() and reading.readable(index)
    return isinstance(index, int | list) or (isinstance(index, slice) and index != slice(None))


def _chosen(rows: Sequence[Hashable], index: Any) -> Iterable[Hashable]:
    if isinstance(index, slice):
        return rows[index]
    if isinstance(index, torch.Tensor):
        index = (index.nonzero().flatten() if index.dtype == torch.bool else index).reshape(-1).tolist()
    chosen = index if isinstance(index, list) else [index]
    return [rows[row] for row in chosen if isinstance(row, int) and -len(rows) <= row < len(rows)]
