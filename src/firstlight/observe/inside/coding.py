"""Which codes categories were given, call by call, and which of those calls the inputs of a model come from.

A code has a meaning only within the call that gave it. Its column is found again, value by value and in its order,
among the arrays that batches are taken from.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import rows
from firstlight.observe.inside.row_origins import MOST_WIDTH

MOST_CODINGS = 64
MOST_VALUES = 1 << 22
"""Of all codings, and of one array that they are looked for in."""
LEAST_CODED = 32
LEAST_KINDS, MOST_KINDS = 3, 4096
TABLE = 2
DIFFERENT = 0.9
"""Of the rows of a table; with fewer, a batch may be from another one."""


class Coding(NamedTuple):
    """What one call made of a column."""

    number: int
    how: str
    site: Any
    kinds: dict[str, int]
    """The code of each category."""
    codes: torch.Tensor

    def raised(self, by: int) -> "Coding":
        """As it is fed where the first codes are kept for padding or for what is unknown."""
        return self._replace(kinds={name: code + by for name, code in self.kinds.items()}, codes=self.codes + by)


class CodesMoved(NamedTuple):
    """What another coding makes of the same categories."""

    rows: int
    kinds: int
    """Categories that both know."""
    example: str
    here: int
    there: int


class Codings:
    """As they were made. Codings that agree in what they both know are no matter."""

    def __init__(self) -> None:
        self.known: list[Coding] = []
        self.disagree = False
        self._values = 0

    def add(self, how: str, site: Any, names: Iterable[Any], codes: Any) -> None:
        """`names` has the category of each code from 0 on, or is a dict of them."""
        count = len(codes)
        room = len(self.known) < MOST_CODINGS and self._values + count <= MOST_VALUES
        told = names.items() if isinstance(names, dict) else zip(names, range(MOST_KINDS + 1), strict=False)
        kinds = {str(name): int(code) for name, code in told if room} if count >= LEAST_CODED else {}
        values = _column(codes) if LEAST_KINDS <= len(kinds) <= MOST_KINDS else None
        if values is None or not _coded(values):
            return
        new = Coding(len(self.known), how, site, kinds, values)
        self._values += count
        self.disagree = self.disagree or any(moved(other, new).rows for other in self.known)
        self.known.append(new)

    def columns_of(self, array: Any) -> list[tuple[int, Coding]]:
        """The columns of an array that are codes of a call, row by row, or all by the same number more."""
        shape = getattr(array, "shape", ())
        if not isinstance(shape, tuple) or not shape:
            return []
        mine = [one for one in self.known if len(one.codes) == shape[0]]
        if not mine or len(shape) > TABLE or (len(shape) == TABLE and shape[1] > MOST_WIDTH):
            return []
        table = table_of(array)
        if table is None or table.numel() > MOST_VALUES:
            return []
        return [
            (int(column), one.raised(int(more[0, column])))
            for one in mine
            for more in [table - one.codes[:, None]]
            for column in torch.nonzero((more == more[0].round()).all(0)).reshape(-1)
        ]


def moved(one: Coding, other: Coding) -> CodesMoved:
    """Rows of the other whose category has another code in the first, and the most frequent such category."""
    common = [name for name in other.kinds if name in one.kinds]
    apart = [name for name in common if one.kinds[name] != other.kinds[name]]
    if not apart:
        return CodesMoved(0, len(common), "", 0, 0)
    codes = torch.tensor([other.kinds[name] for name in apart], dtype=other.codes.dtype)
    counts = (other.codes[:, None] == codes).sum(0)
    most = apart[int(counts.argmax())]
    return CodesMoved(int(counts.sum()), len(common), most, one.kinds[most], other.kinds[most])


def _coded(values: torch.Tensor) -> bool:
    """Whole numbers of several kinds; in the order of their codes they would be found in any sorted column."""
    whole = bool((values == values.round()).all()) and len(torch.unique(values)) >= LEAST_KINDS
    return whole and not bool((values[1:] >= values[:-1]).all())


def _column(codes: Any) -> torch.Tensor | None:
    table = table_of(codes)
    return table[:, 0].clone() if table is not None and table.shape[1] == 1 else None


def table_of(array: Any) -> torch.Tensor | None:
    """A row for each of its rows, in numbers; None for anything that has none."""
    if isinstance(array, torch.Tensor):
        plain = array.layout is torch.strided and not array.is_complex() and array.ndim
        return array.detach().to("cpu", torch.float32).reshape(len(array), -1) if plain and len(array) else None
    values = array.to_numpy() if hasattr(array, "to_numpy") else array
    if type(values).__module__ != "numpy" or getattr(values, "ndim", 0) not in (1, TABLE) or not len(values):
        return None
    if values.dtype.kind not in "iuf":
        return None
    return torch.from_numpy(values.astype("float32", copy=True)).reshape(len(values), -1)


class CodesKept(NamedTuple):
    """An array that a batch may be taken from, with its columns of codes."""

    table: torch.Tensor
    columns: list[tuple[int, Coding]]


def taken_from(
    given: torch.Tensor, sources: Sequence[CodesKept], places: Sequence[int]
) -> Iterator[tuple[int, Coding]]:
    """The columns of a batch that are codes. `places` are its rows in the dataset, as far as they are known."""
    batch = table_of(given)
    wide = [one for one in sources if batch is not None and one.table.shape[1] == batch.shape[1]]
    exact = [one for one in wide if _at(one.table, batch, places)]
    for one in exact or [one for one in wide if _among(one.table, batch)]:
        yield from one.columns


def _at(table: torch.Tensor, batch: torch.Tensor | None, places: Sequence[int]) -> bool:
    if batch is None or torch.equal(table, batch):
        return batch is not None
    inside = len(places) == len(batch) and max(places, default=0) < len(table)
    return inside and torch.equal(table[torch.tensor(places, dtype=torch.long)], batch)


def _among(table: torch.Tensor, batch: torch.Tensor | None) -> bool:
    """Rows that come again and again, such as one code each, are found in any table."""
    known = set(rows.keys([table]))
    return batch is not None and len(known) >= DIFFERENT * len(table) and known.issuperset(rows.keys([batch]))
