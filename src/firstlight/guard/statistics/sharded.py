"""Parameters of which each rank holds a part (FSDP2, tensor parallelism): local rows, put together over the ranks.

Two small all-reduces a step, in the order of the steps, so every rank must be guarded and look at the same steps.
Nothing is waited for on a device: the sums travel on its own stream like any other collective.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence

import torch
import torch.distributed as dist

from firstlight.guard.statistics.host import flat, row_of
from firstlight.guard.statistics.rows import (
    HIGH,
    L2,
    LOW,
    MEAN,
    NONFINITE,
    SCALARS,
    SLOTS,
    STD,
    UPDATE,
    WIDTH,
    ZEROS,
    Frame,
    Scalars,
    Tensors,
)
from firstlight.guard.statistics.tables import sent

Reduce = Callable[[torch.Tensor, str], None]
"""In place over all ranks, by `sum` or `max`."""


class ShardedPass:
    def __init__(self, weights: Sequence[torch.Tensor], parted: Sequence[bool], reduce: Reduce | None = None) -> None:
        """`parted`: which parameters are in parts; the others are whole on every rank."""
        self.device = weights[0].device
        self.found_bad: torch.Tensor | None = None
        self._parted = torch.tensor([*parted, *parted], device=self.device)
        self._reduce = reduce or all_reduce
        on_gpu = self.device.type == "cuda"
        self._host = [torch.zeros(2 * len(weights) + 1, WIDTH, pin_memory=on_gpu) for _ in range(SLOTS)]
        self._events = [torch.cuda.Event() for _ in range(SLOTS)] if on_gpu else []
        self._flying: deque[tuple[int, int, tuple[bool, ...], tuple[bool, ...]]] = deque()
        self._looks = 0

    def launch(self, step: int, tensors: Tensors, scalars: Scalars) -> None:
        nothing = torch.zeros(0, device=self.device)
        every = [nothing if each is None else each for each in (*tensors.gradients, *tensors.weights)]
        counts = sent([each.numel() for each in every], torch.int64, self.device).float()
        rows = together(self._local(every), counts, self._parted, self._reduce)
        numbers = [torch.zeros((), device=self.device) if s is None else s.reshape(()).float() for s in scalars]
        tail = torch.cat([torch.stack(numbers), torch.zeros(WIDTH - SCALARS, device=self.device)])
        slot = self._looks % SLOTS
        self._host[slot].copy_(torch.cat([rows, tail[None]]), non_blocking=True)
        if self._events:
            self._events[slot].record()
        if len(self._flying) == SLOTS:
            self._flying.popleft()
        present = tuple(each is not None for each in tensors.gradients)
        self._flying.append((slot, step, present, tuple(each is not None for each in scalars)))
        self._looks += 1

    def _local(self, every: list[torch.Tensor]) -> torch.Tensor:
        if self.device.type == "cpu":
            return torch.tensor([row_of(flat(each)) for each in every], dtype=torch.float32)
        from firstlight.guard.statistics.device import rows_of

        return rows_of(every)

    def poll(self) -> Frame | None:
        if not self._flying or (self._events and not self._events[self._flying[0][0]].query()):
            return None
        slot, step, present, has = self._flying.popleft()
        found = self._host[slot].clone()
        rows = found[:-1]
        rows[:, UPDATE] = math.nan  # a sample of a part says nothing of the whole
        scalars = tuple(value if known else None for value, known in zip(found[-1].tolist(), has, strict=False))
        return Frame(step, rows, present, scalars)


def together(rows: torch.Tensor, counts: torch.Tensor, parted: torch.Tensor, reduce: Reduce) -> torch.Tensor:
    """Rows of the whole from rows of the parts; a row that is whole everywhere stays as it is."""
    kept = (counts - rows[:, NONFINITE]).clamp_min(0)
    sums = torch.stack(
        [counts, kept, rows[:, MEAN] * kept, rows[:, L2].square(), rows[:, NONFINITE], rows[:, ZEROS] * counts], dim=1
    )
    ends = torch.stack([-rows[:, LOW], rows[:, HIGH]], dim=1)
    there = (kept > 0)[:, None]
    sums = torch.where(torch.isfinite(sums), sums, 0.0).double()
    ends = torch.where(there, ends, -math.inf)
    reduce(sums, "sum")
    reduce(ends, "max")
    count, kept, total, squares, bad, zeros = sums.unbind(dim=1)
    mean = total / kept.clamp_min(1)
    variance = (squares - kept * mean.square()).clamp_min(0) / (kept - 1).clamp_min(1)
    whole = torch.zeros_like(rows)
    whole[:, MEAN], whole[:, STD], whole[:, L2] = mean.float(), variance.sqrt().float(), squares.sqrt().float()
    whole[:, LOW], whole[:, HIGH] = -ends[:, 0], ends[:, 1]
    whole[:, NONFINITE], whole[:, ZEROS] = bad.float(), (zeros / count.clamp_min(1)).float()
    whole[:, LOW : HIGH + 1] = torch.where(kept[:, None] > 0, whole[:, LOW : HIGH + 1], 0.0)
    return torch.where(parted[:, None], whole, rows)


def all_reduce(tensor: torch.Tensor, by: str) -> None:
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM if by == "sum" else dist.ReduceOp.MAX)
