"""The pass on the CPU: a few reductions a tensor, chosen by speed.

Gradients are read whole at every step. Weights move little, and are read in turns, a quarter of the tensors at each
step: a row of a weight is at most three steps old. So are the counts of zeros.

`sum`, `dot`, `aminmax` and a count over `bool` run at memory speed; `var_mean`, `count_nonzero` and `isfinite` are
many times slower and are used only on tensors that turned out to hold a NaN or an infinity.
"""

import math
from collections import deque
from collections.abc import Sequence

import torch

from firstlight.guard.statistics.rows import (
    L2,
    MEAN,
    NONFINITE,
    STD,
    UPDATE,
    WIDTH,
    ZEROS,
    Frame,
    Scalars,
    Tensors,
    stride_of,
)

TURNS = 4
"""Steps in which every weight is read once."""
SAMPLE = 256
"""Elements of a weight whose change is followed at every step; each costs a cache line."""
OFFSET = 30.0
"""Mean over std from which on the sums are taken about the last mean, so that the std keeps its digits."""
ABSENT = [0.0] * WIDTH


class HostPass:
    def __init__(self, weights: Sequence[torch.Tensor]) -> None:
        self._pivots = [0.0] * (2 * len(weights))
        self._last: list[list[float]] = [ABSENT] * (2 * len(weights))
        self._turn = -1
        self._samples = Samples(weights)
        self._done: deque[Frame] = deque()
        self.found_bad: torch.Tensor | None = torch.zeros(())

    def launch(self, step: int, tensors: Tensors, scalars: Scalars) -> None:
        gradients = len(tensors.gradients)
        for place, each in enumerate((*tensors.gradients, *tensors.weights)):
            due = self._turn < 0 or place % TURNS == self._turn
            if place < gradients or due:
                self._last[place] = ABSENT if each is None else self._row(place, each, due)
        self._turn = (self._turn + 1) % TURNS
        found = torch.tensor(self._last, dtype=torch.float32)
        found[len(tensors.gradients) :, UPDATE] = self._samples.updates(tensors.weights)
        self.found_bad = found[: len(tensors.gradients), NONFINITE].any().float()
        present = tuple(each is not None for each in tensors.gradients)
        self._done.append(Frame(step, found, present, tuple(None if s is None else float(s) for s in scalars)))

    def poll(self) -> Frame | None:
        return self._done.popleft() if self._done else None

    def _row(self, place: int, tensor: torch.Tensor, counts: bool) -> list[float]:
        values = flat(tensor)
        pivot = self._pivots[place]
        row = row_of(values, pivot, None if counts else self._last[place][ZEROS])
        far = abs(row[MEAN]) > OFFSET * row[STD] and math.isfinite(row[L2]) and values.numel() > 1
        self._pivots[place] = row[MEAN] if far or (pivot and abs(row[MEAN]) > row[STD]) else 0.0
        return row


def flat(tensor: torch.Tensor) -> torch.Tensor:
    """All elements in one dimension, in any order, as float32 (or float64); without a copy where memory is dense."""
    if tensor.dtype not in (torch.float32, torch.float64):
        tensor = tensor.abs().float() if tensor.is_complex() else tensor.float()
    return in_memory_order(tensor)


def in_memory_order(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_contiguous():
        return tensor.view(-1)
    if is_dense(tensor):
        return tensor.as_strided((tensor.numel(),), (1,))
    return tensor.reshape(-1)


def is_dense(tensor: torch.Tensor) -> bool:
    """Its elements fill one stretch of memory, in whatever order (channels_last)."""
    expected = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def row_of(values: torch.Tensor, pivot: float = 0.0, zeros: float | None = None) -> list[float]:
    """Mean, std, l2, least, greatest, non-finite, share of zeros (counted unless given), and a place for the update."""
    count = values.numel()
    if count == 0:
        return ABSENT
    shifted = values - pivot if pivot else values
    squares, total = torch.dot(shifted, shifted).item(), shifted.sum().item()
    if not math.isfinite(squares):
        return _row_of_bad(values)
    low, high = torch.aminmax(values)
    if zeros is None:
        zeros = 1.0 - values.bool().sum(dtype=torch.int32).item() / count
    drift = total / count
    variance = max(0.0, squares - total * drift) / (count - 1) if count > 1 else 0.0
    length = max(0.0, squares + 2 * pivot * total + count * pivot * pivot)
    return [pivot + drift, math.sqrt(variance), math.sqrt(length), low.item(), high.item(), 0.0, zeros, 0.0]


def row_of_any(tensor: torch.Tensor) -> torch.Tensor:
    """The same on the tensor's own device, for what the kernels do not read: sparse, strided, double. Never waits."""
    values = tensor.detach().reshape(-1)
    values = (values.abs() if values.is_complex() else values).float()
    finite = torch.isfinite(values)
    kept = finite.sum()
    mean = torch.where(finite, values, 0.0).sum() / kept
    spread = torch.where(finite, values - mean, 0.0).square().sum() / (kept - 1).clamp_min(1)
    length = torch.where(finite, values, 0.0).square().sum().sqrt()
    low = torch.where(finite, values, math.inf).amin()
    high = torch.where(finite, values, -math.inf).amax()
    bad, zeros = values.numel() - kept, (values == 0).sum() / values.numel()
    return torch.stack([mean, spread.sqrt(), length, low, high, bad.float(), zeros, torch.zeros_like(mean)])


def _row_of_bad(values: torch.Tensor) -> list[float]:
    """In double, over the finite elements; also where only the sum of squares overflowed."""
    finite = torch.isfinite(values)
    kept = values[finite].double()
    bad = float(values.numel() - kept.numel())
    if not kept.numel():
        return [math.nan, math.nan, math.nan, math.inf, -math.inf, bad, 0.0, 0.0]
    zeros = (kept == 0).sum().item() / values.numel()
    std = kept.std().item() if kept.numel() > 1 else 0.0
    low, high = torch.aminmax(kept)
    return [kept.mean().item(), std, kept.norm().item(), low.item(), high.item(), bad, zeros, 0.0]


class Samples:
    """The change of each weight since the last look, over its length, on a fixed sample of its elements."""

    def __init__(self, weights: Sequence[torch.Tensor]) -> None:
        sizes = [min(SAMPLE, len(range(0, w.numel(), stride_of(w.numel(), SAMPLE)))) for w in weights]
        self._ends = torch.tensor(sizes, dtype=torch.int64).cumsum(0)
        self._last: torch.Tensor | None = None

    def updates(self, weights: Sequence[torch.Tensor]) -> torch.Tensor:
        if not weights:
            return torch.zeros(0)
        now = torch.cat([flat(w)[:: stride_of(w.numel(), SAMPLE)][:SAMPLE].to(torch.float32) for w in weights])
        before, self._last = self._last, now
        if before is None:
            return torch.full((len(weights),), math.nan)
        moved, length = self._lengths(now - before), self._lengths(now)
        return (moved / length.clamp_min(1e-30)).to(torch.float32)

    def _lengths(self, values: torch.Tensor) -> torch.Tensor:
        sums = torch.cat([torch.zeros(1, dtype=torch.float64), values.double().square_().cumsum(0)])
        upto = sums[self._ends]
        return (upto - torch.cat([torch.zeros(1, dtype=torch.float64), upto[:-1]])).clamp_min(0).sqrt()
