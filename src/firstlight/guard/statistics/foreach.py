"""The pass on a device without Triton: what torch's multi-tensor kernels give at little cost, and nothing more.

Lengths and greatest magnitudes of all tensors; mean, spread, zeros and the share of bad elements are not known (NaN).
"""

import math
from collections import deque
from collections.abc import Sequence

import torch

from firstlight.guard.statistics.rows import (
    HIGH,
    L2,
    LOW,
    NONFINITE,
    SCALARS,
    SLOTS,
    UPDATE,
    WIDTH,
    Frame,
    Scalars,
    Tensors,
    stride_of,
)


class ForeachPass:
    def __init__(self, weights: Sequence[torch.Tensor]) -> None:
        self.device = weights[0].device
        self._before: list[torch.Tensor] | None = None
        on_gpu = self.device.type == "cuda"
        self._host = [torch.zeros(2 * len(weights) * 3 + SCALARS, pin_memory=on_gpu) for _ in range(SLOTS)]
        self._events = [torch.cuda.Event() for _ in range(SLOTS)] if on_gpu else []
        self._flying: deque[tuple[int, int, tuple[bool, ...], tuple[bool, ...]]] = deque()
        self._looks = 0
        self.found_bad: torch.Tensor | None = None

    def launch(self, step: int, tensors: Tensors, scalars: Scalars) -> None:
        nothing = torch.zeros(1, device=self.device)
        every = [*(nothing if each is None else each for each in tensors.gradients), *tensors.weights]
        lengths = torch.stack([each.float() for each in torch._foreach_norm(every)])
        peaks = torch.stack([each.float() for each in torch._foreach_norm(every, math.inf)])
        self.found_bad = (~torch.isfinite(peaks[: len(tensors.gradients)])).any().float()
        moved = torch.cat([torch.zeros(len(tensors.gradients), device=self.device), self._moved(tensors.weights)])
        numbers = [nothing[0] if each is None else each.reshape(()).float().to(self.device) for each in scalars]
        slot = self._looks % SLOTS
        self._host[slot].copy_(torch.cat([lengths, peaks, moved, torch.stack(numbers)]), non_blocking=True)
        if self._events:
            self._events[slot].record()
        if len(self._flying) == SLOTS:
            self._flying.popleft()
        present = tuple(each is not None for each in tensors.gradients)
        self._flying.append((slot, step, present, tuple(each is not None for each in scalars)))
        self._looks += 1

    def _moved(self, weights: Sequence[torch.Tensor]) -> torch.Tensor:
        """On a sample of each weight, over the length of the sample."""
        now = [w.detach().reshape(-1)[:: stride_of(w.numel())].float() for w in weights]
        before, self._before = self._before, [each.clone() for each in now]
        if before is None:
            return torch.full((len(now),), math.nan, device=self.device)
        steps = torch.stack(torch._foreach_norm(torch._foreach_sub(now, before)))
        return steps / torch.stack(torch._foreach_norm(now)).clamp_min(1e-30)

    def poll(self) -> Frame | None:
        if not self._flying or (self._events and not self._events[self._flying[0][0]].query()):
            return None
        slot, step, present, has = self._flying.popleft()
        found = self._host[slot].clone()
        count = 2 * len(present)
        lengths, peaks, moved = found[: 3 * count].view(3, count)
        rows = torch.full((count, WIDTH), math.nan)
        rows[:, L2], rows[:, UPDATE] = lengths, moved
        rows[:, HIGH], rows[:, LOW] = peaks, -peaks
        rows[:, NONFINITE] = (~torch.isfinite(peaks)).float()
        scalars = tuple(value if known else None for value, known in zip(found[-SCALARS:].tolist(), has, strict=True))
        return Frame(step, rows, present, scalars)
