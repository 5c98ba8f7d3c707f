"""What inputs and targets of one step have in common that they should not: the target itself, and padding."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from firstlight.observe.inside import reading
from firstlight.records.feed import Echo

MOST_COLUMNS = 512
LEAST_ROWS = 8
LEAST_LENGTH = 4
SAME = 1e-6
"""By which the correlation of a line in the target may fall short of 1."""
LEAST_TAILS = 0.3
"""Share of rows that end in at least two ids of padding."""
LEAST_LENGTHS = 3


@dataclass(frozen=True)
class Asked:
    """A target, and how the loss treats it."""

    target: torch.Tensor
    ignored: int = -100
    counted: bool = True
    """Its terms are summed by the loss itself, all with the same weight."""


class Echoes:
    def __init__(self) -> None:
        self.varied = self.compared = self.width = 0
        self.exact = True
        self.shares: list[float] = []
        self.pad = 0
        self._columns: set[int] | None = None

    def step(self, inputs: Sequence[torch.Tensor], asked: Iterable[Asked]) -> None:
        for one in asked:
            self.varied += _varies(one.target)
            for tensor in inputs:
                if tensor.ndim == 2 and reading.readable(tensor) and reading.readable(one.target):
                    (self._table if tensor.is_floating_point() else self._ids)(tensor, one)

    def _table(self, table: torch.Tensor, asked: Asked) -> None:
        """A single feature of which the target is a line is a toy, not a leak."""
        target = asked.target.detach().reshape(-1).double()
        rows, width = table.shape
        if target.numel() != rows or rows < LEAST_ROWS or not 2 <= width <= MOST_COLUMNS or float(target.std()) == 0.0:
            return
        found, exact = _copies(table.detach().double(), target.to(table.device))
        self.compared, self.width = self.compared + 1, width
        self.exact = self.exact and exact
        self._columns = found if self._columns is None else self._columns & found

    def _ids(self, ids: torch.Tensor, asked: Asked) -> None:
        rows, length = ids.shape
        target = asked.target.detach()
        shift = length - target.numel() // rows if rows else 1
        if shift not in (0, 1) or target.numel() != rows * (length - shift) or length < LEAST_LENGTH:
            return
        if target.is_floating_point() or not asked.counted:
            return
        pad, ends = tails(ids.detach())
        lengths = ends[ends >= 2]
        if len(lengths) < LEAST_TAILS * rows or len(torch.unique(ends)) < LEAST_LENGTHS:
            return
        within = torch.arange(length, device=ids.device)[None] >= (length - ends)[:, None]
        ended = target.reshape(rows, length - shift)[within[:, shift:]]
        counted = ended[ended != asked.ignored]
        self.pad = pad
        self.shares.append(counted.numel() / target.numel() if len(torch.unique(counted)) == 1 else 0.0)

    def seen(self) -> Echo:
        return Echo(
            varied=self.varied,
            compared=self.compared,
            columns=tuple(sorted(self._columns or ()))[:6],
            exact=self.exact,
            of=self.width,
            padded=len(self.shares),
            pad=self.pad,
            pad_share=sum(self.shares) / len(self.shares) if self.shares else 0.0,
        )


def _varies(target: torch.Tensor) -> bool:
    return target.numel() >= LEAST_ROWS and reading.readable(target) and bool((target != target.reshape(-1)[0]).any())


def _copies(table: torch.Tensor, target: torch.Tensor) -> tuple[set[int], bool]:
    """Columns that equal the target; where there is none, those that are a line in it."""
    equal = torch.nonzero((table == target[:, None]).all(0)).reshape(-1).tolist()
    if equal:
        return set(equal), True
    table, target = table - table.mean(0), target - target.mean()
    norms = table.norm(dim=0) * target.norm()
    along = (table.t() @ target).abs() / norms.clamp_min(1e-300)
    lines = set(torch.nonzero((along > 1 - SAME) & (norms > 0)).reshape(-1).tolist())
    return (lines if len(lines) <= len(along) // 2 else set()), False  # where all are, the data is a line itself


def tails(ids: torch.Tensor) -> tuple[int, torch.Tensor]:
    """The id in which most rows end, and how many of it each row ends with."""
    pad = int(torch.mode(ids[:, -1]).values)
    other = (ids != pad).flip(1)
    return pad, torch.where(other.any(1), other.int().argmax(1), torch.full_like(ids[:, 0], ids.shape[1]).int())
