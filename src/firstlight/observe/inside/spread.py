"""Running statistics of one tensor the model is given, column by column, over many batches."""

import torch

from firstlight.observe.inside import reading, rows
from firstlight.records.feed import Columns

MOST_COLUMNS = 2048
MOST_TWINS = 512
"""Wider tables are not searched for columns that repeat another."""
MOST_NAMED = 6


class Spread:
    def __init__(self, name: str, like: torch.Tensor) -> None:
        self.name = name
        self.shape, self.dtype = tuple(like.shape), str(like.dtype).removeprefix("torch.")
        self.rows = self.nonfinite = 0
        self.whole = True
        """Every value so far is a whole number."""
        self._count = 0
        self._mean = self._square = self._low = self._high = torch.empty(0)
        self._twins: list[int] = []

    def add(self, tensor: torch.Tensor) -> None:
        table = _by_column(reading.sample_of(tensor)).double()
        finite = torch.isfinite(table)
        self.nonfinite += int((~finite).sum())
        table = table[finite.all(1)]
        if len(table) == 0 or (self._count and table.shape[1] != len(self._mean)):
            return
        self.rows += len(tensor)
        self.whole = self.whole and bool((table == table.round()).all())
        self._merge(table)
        if tensor.ndim == 2 and table.shape[1] <= MOST_TWINS and len(table) >= rows.LEAST_DISTINCT:
            found = rows.keys([table.float().t()])
            self._twins = [31 * a + b for a, b in zip(self._twins or [0] * len(found), found, strict=True)]

    def _merge(self, table: torch.Tensor) -> None:
        """Chan's rule for means and sums of squares of two parts."""
        count, mean = len(table), table.mean(0)
        square, low, high = ((table - mean) ** 2).sum(0), table.amin(0), table.amax(0)
        if self._count:
            total, apart = self._count + count, mean - self._mean
            square = self._square + square + apart**2 * (self._count * count / total)
            mean = self._mean + apart * (count / total)
            low, high = torch.minimum(low, self._low), torch.maximum(high, self._high)
        self._count += count
        self._mean, self._square, self._low, self._high = mean, square, low, high

    @property
    def std(self) -> torch.Tensor:
        return (self._square / max(1, self._count)).sqrt()

    def columns(self) -> Columns:
        std = self.std
        constant = torch.nonzero(self._low == self._high).reshape(-1).tolist() if self._count > 1 else []
        moving = std[self._low < self._high]
        twins = _repeats(self._twins, set(constant))
        mean = float(self._mean.mean()) if self._count else 0.0
        spread = float(((std**2).mean() + self._mean.var(unbiased=False)).sqrt()) if self._count else 0.0
        return Columns(
            name=self.name,
            shape=self.shape,
            dtype=self.dtype,
            rows=self.rows,
            nonfinite=self.nonfinite,
            whole=self.whole,
            low=float(self._low.min()) if self._count else 0.0,
            high=float(self._high.max()) if self._count else 0.0,
            mean=mean,
            std=spread,
            columns=len(std),
            constant=len(constant),
            first_constant=tuple(constant[:MOST_NAMED]),
            twins=len(twins),
            first_twins=tuple(twins[:MOST_NAMED]),
            widest=float(moving.max()) if len(moving) else 0.0,
            narrowest=float(moving.min()) if len(moving) else 0.0,
        )

    def distance(self, other: "Spread") -> tuple[float, float]:
        """How far the other's columns lie from these, in their own deviations, and by what factor they are wider: both
        the median over the columns that move."""
        if not self._count or not other._count or len(self._mean) != len(other._mean):
            return 0.0, 1.0
        std, moves = self.std, self._low < self._high
        if not bool(moves.any()):
            return 0.0, 1.0
        apart = ((other._mean - self._mean).abs() / std)[moves].median()
        wider = (other.std / std)[moves].median()
        return float(apart), float(wider)


def _by_column(tensor: torch.Tensor) -> torch.Tensor:
    """Rows of features: the last dimension of tables and sequences, the channels of images."""
    found = tensor.movedim(1, -1) if tensor.ndim >= 4 else tensor
    return found.reshape(-1, found.shape[-1])[:, :MOST_COLUMNS]


def _repeats(keys: list[int], constant: set[int]) -> list[tuple[int, int]]:
    """Each column that equals an earlier one, with that one."""
    first: dict[int, int] = {}
    found = []
    for index, key in enumerate(keys):
        if index not in constant and first.setdefault(key, index) != index:
            found.append((first[key], index))
    return found
