"""Were both sides scaled, each by statistics of its own? Then both have mean 0 and deviation 1 to rounding.

A scaler that was fitted on one side leaves the other off by what chance makes, one part in the root of its rows. That
a column is exact on both sides by chance is as good as impossible. Whatever is scaled in parts (each example, batch or
group by itself) is exact in a part of its rows already, and is another thing.
"""

from collections.abc import Container, Mapping, Sequence

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.preparing import MOST_PLACES
from firstlight.records.feed import OwnScale

MOST_VALUES = 1 << 24
"""Read of one tensor on one side; what goes on longer is not judged. Below, at once."""
MOST_AT_ONCE = 1 << 19
MOST_SEGMENTS = 4
LEAST_ROWS = 64
EXACT, EXACT_PART = 0.01, 0.0001
"""Of what chance makes; less where parts of the rows are asked again and again. Below, what rounding makes of both."""
ROUNDING, ROUNDING_PART = 1e-5, 1e-6
ROUGHLY = 0.5
"""Off the mean and the deviation, that a part of the rows may be."""
SIGNS = 1.01
"""Largest size of a column that is plus and minus one, whose mean and deviation are exact by nature."""
APART = 1e-3
"""Of the largest size, by which it is another on the other side."""
MOST_AT_END = 2
"""Rows in which a column has its lowest value, or its highest; more of them, and its range is its nature."""
GRID = 1000.0
"""Parts of one, of which values that were measured or made roughly are a whole number."""
MOST_SHARED = 0.05
"""Of the rows evaluated, trained on before."""
LEAST_RANGED, RANGED = 2, 0.9
"""Columns, and their share, that reach from 0 to 1 where they were scaled to that range."""


class Moments:
    """Sums over the rows of one side: for each place of an example, each column along an axis, and all values."""

    def __init__(self) -> None:
        self.rows = 0
        self.open = True
        self._shape: tuple[int, ...] = ()
        self._sizes = self._sums = self._squares = self._largest = torch.empty(0)
        self._lows = self._highs = self._zeros = self._ones = self._fine = torch.empty(0)
        self._parted = self._exact = torch.empty(0)

    def add(self, tensor: torch.Tensor) -> None:
        shape = tuple(tensor.shape[1:])
        self._shape = self._shape or shape
        size = tensor[0].numel()
        whole = shape == self._shape and size <= MOST_PLACES and (self.rows + len(tensor)) * size <= MOST_VALUES
        self.open = self.open and whole
        for part in tensor.detach().split(max(1, MOST_AT_ONCE // size)):
            values = part.to("cpu", torch.double)
            self.open = self.open and bool(torch.isfinite(values).all())
            if self.open:
                self._reach(values.reshape(len(values), -1))
                self._sum(values)
        self.open = self.open and (self.rows < LEAST_ROWS or self._possible())

    def _possible(self) -> bool:
        """A good part of the rows is enough to see that most data are scaled in no such way."""
        values = self.rows * self._sizes
        mean = self._sums / values
        near = (mean.abs() <= ROUGHLY) & (((self._squares / values - mean**2).clamp_min(0).sqrt() - 1).abs() <= ROUGHLY)
        within = (self._lows >= 0) & (self._highs <= 1) & self._single() & self.fine()
        return bool(near.any()) or int(within.sum()) >= LEAST_RANGED

    def _single(self) -> torch.Tensor:
        return (self._zeros <= MOST_AT_END) & (self._ones <= MOST_AT_END)

    def _sum(self, values: torch.Tensor) -> None:
        sums, squares = by_columns(values), by_columns(values**2)
        if not self.rows:
            self._sizes = by_columns(torch.ones_like(values[:1]))[0]
            self._sums, self._squares = torch.zeros_like(sums[0]), torch.zeros_like(sums[0])
            self._largest = torch.zeros_like(sums[0])
            self._parted = self._exact = torch.zeros_like(sums[0], dtype=torch.bool)
        sums, squares = self._sums + sums.cumsum(0), self._squares + squares.cumsum(0)
        counts = torch.arange(self.rows + 1, self.rows + len(values) + 1).double()[:, None]
        exact = _is_unit(sums, squares, counts * self._sizes, EXACT_PART, ROUNDING_PART)
        self._parted = self._parted | self._exact | exact[:-1].any(0)
        self._exact = exact[-1]
        self._sums, self._squares, self.rows = sums[-1], squares[-1], self.rows + len(values)
        self._largest = torch.maximum(self._largest, by_columns(values.abs().amax(0, keepdim=True), largest=True)[0])

    def _reach(self, table: torch.Tensor) -> None:
        zeros, ones = (table == 0).sum(0), (table == 1).sum(0)
        fine = ((table * GRID - (table * GRID).round()).abs() > SIGNS - 1).sum(0)
        low, high = table.amin(0), table.amax(0)
        if self.rows:
            zeros, ones, fine = zeros + self._zeros, ones + self._ones, fine + self._fine
            low, high = torch.minimum(low, self._lows), torch.maximum(high, self._highs)
        self._zeros, self._ones, self._fine, self._lows, self._highs = zeros, ones, fine, low, high

    @property
    def judged(self) -> bool:
        return self.open and self.rows >= LEAST_ROWS

    @property
    def places(self) -> int:
        return len(self._lows)

    def like(self, other: "Moments") -> bool:
        return self.judged and other.judged and self._shape == other._shape

    def unit(self) -> torch.Tensor:
        """Columns with mean 0 and deviation 1 over all rows, and not over a part of them."""
        exact = _is_unit(self._sums, self._squares, self.rows * self._sizes, EXACT, ROUNDING)
        return exact & ~self._parted & (self._largest > SIGNS)

    def reaches_otherwise(self, other: "Moments") -> torch.Tensor:
        """A few values that come as often on both sides (weekdays, the mean of each shop) reach equally far."""
        return (self._largest - other._largest).abs() > APART * self._largest

    def ranged(self) -> torch.Tensor:
        """Places that reach from 0 to 1, each in hardly more than one row."""
        return (self._lows == 0) & (self._highs == 1) & self._single() & self.fine()

    def fine(self) -> torch.Tensor:
        """Places whose values are not a few round ones."""
        return 2 * self._fine > self.rows


class OwnScales:
    """Of all tensors that a model is given: all that was trained on, beside each evaluation of other examples."""

    def __init__(self) -> None:
        self._trained: dict[str, Moments] = {}
        self._segments: list[dict[str, Moments]] = []
        self._firsts: set[int] = set()
        """The first example of each evaluation."""
        self._between = self._skipped = True
        """Training went on since the last evaluation; it is one that was seen before."""

    def train(self, given: Mapping[str, torch.Tensor], keys: Sequence[int], known: Container[int]) -> None:
        """`known` are the examples of earlier batches."""
        self._between = True
        new = torch.tensor([key not in known for key in keys], dtype=torch.bool)
        for name, tensor in _measured(given, len(keys)):
            moments = self._trained.setdefault(name, Moments())
            if moments.open and bool(new.any()):
                moments.add(tensor if bool(new.all()) else tensor[new.to(tensor.device)])

    def evaluate(self, given: Mapping[str, torch.Tensor], keys: Sequence[int], known: Container[int]) -> None:
        if self._between and keys:
            self._between = False
            self._skipped = keys[0] in self._firsts or len(self._segments) >= MOST_SEGMENTS
            self._firsts.add(keys[0])
            self._segments += [] if self._skipped else [{}]
        shared = sum(key in known for key in keys)
        if self._skipped or not keys or shared > MOST_SHARED * len(keys):
            return
        for name, tensor in _measured(given, len(keys)):
            moments = self._segments[-1].setdefault(name, Moments())
            if moments.open:
                moments.add(tensor)

    def found(self, name: str) -> OwnScale:
        here = self._trained.get(name)
        for segment in self._segments:
            there = segment.get(name)
            if here is not None and there is not None and here.like(there):
                told = _told(here, there)
                if told.kind:
                    return told
        return OwnScale()


def _told(here: Moments, there: Moments) -> OwnScale:
    both = here.unit() & there.unit() & here.reaches_otherwise(there)
    unit = int(both[: here.places].sum()) or int(both.any())
    ranged, fine = int((here.ranged() & there.ranged()).sum()), int((here.fine() & there.fine()).sum())
    if not unit and not (ranged >= LEAST_RANGED and ranged >= RANGED * fine):
        return OwnScale()
    kind = "unit" if unit else "range"
    return OwnScale(kind=kind, columns=unit or ranged, trained=here.rows, evaluated=there.rows)


def _measured(given: Mapping[str, torch.Tensor], rows: int) -> list[tuple[str, torch.Tensor]]:
    whole = [(name, t) for name, t in given.items() if t.ndim >= 2 and len(t) == rows and t.numel()]
    return [(name, t) for name, t in whole if t.is_floating_point() and reading.readable(t) and not t.is_sparse]


def by_columns(values: torch.Tensor, largest: bool = False) -> torch.Tensor:
    """For each row: its values, their sums along each axis of an example, and that of all. Or the largest of them."""
    flat = values.reshape(len(values), -1)
    parts = [flat]
    for axis in range(1, values.ndim) if values.ndim > 2 else ():
        along = values.movedim(axis, 1).reshape(len(values), values.shape[axis], -1)
        parts.append(along.amax(2) if largest else along.sum(2))
    parts.append(flat.amax(1, keepdim=True) if largest else flat.sum(1, keepdim=True))
    return torch.cat(parts, 1)


def _is_unit(
    sums: torch.Tensor, squares: torch.Tensor, values: torch.Tensor, exact: float, rounding: float
) -> torch.Tensor:
    """Mean 0 and deviation 1, whether that is taken over so many values or over one less."""
    mean = sums / values
    left = (squares - sums * mean).clamp_min(0)
    near = exact / values.sqrt() + rounding
    by_all, by_less = (left / values).sqrt(), (left / (values - 1).clamp_min(1)).sqrt()
    return (mean.abs() <= near) & (((by_all - 1).abs() <= near) | ((by_less - 1).abs() <= near))
