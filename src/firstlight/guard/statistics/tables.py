"""Tables a kernel reads: which program works on which stretch of which tensor, and where the tensors are."""

from collections.abc import Sequence

import torch

BUFFERS = 4
"""Address tables that may be on their way to the device at once."""


class Chunks:
    """A fixed list of sizes cut into chunks of equal bytes, those of one type side by side."""

    def __init__(
        self, numels: Sequence[int], types: Sequence[torch.dtype | None], chunk: int, device: torch.device
    ) -> None:
        """`chunk` counts elements of four bytes. A tensor without a type has no chunk."""
        tensor: list[int] = []
        offset: list[int] = []
        first, last = [0] * len(numels), [0] * len(numels)
        self.groups: list[tuple[torch.dtype, int, int]] = []
        """Type, first chunk, number of chunks."""
        for dtype in sorted({each for each in types if each is not None}, key=str):
            begin, size = len(tensor), chunk * 4 // dtype.itemsize
            for place, numel in enumerate(numels):
                if types[place] is dtype:
                    first[place] = len(tensor)
                    starts = range(0, max(numel, 1), size)
                    tensor += [place] * len(starts)
                    offset += starts
                    last[place] = len(tensor)
            self.groups.append((dtype, begin, len(tensor) - begin))
        self.tensor = sent(tensor, torch.int32, device)
        self.offset = sent(offset, torch.int64, device)
        self.first = sent(first, torch.int32, device)
        self.last = sent(last, torch.int32, device)
        self.numels = sent(list(numels), torch.int64, device)
        self.partials = torch.zeros(len(tensor), 8, device=device)


def sent(values: list[int], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """On the device, without waiting for it."""
    on_gpu = device.type != "cpu"
    return torch.tensor(values, dtype=dtype, pin_memory=on_gpu).to(device, non_blocking=True)


class Sent:
    """Addresses on the device, sent again (from pinned memory, without waiting) only when one changed."""

    def __init__(self, count: int, device: torch.device) -> None:
        on_gpu = device.type != "cpu"
        self.there = torch.zeros(count, dtype=torch.int64, device=device)
        self._pinned = [torch.zeros(count, dtype=torch.int64, pin_memory=on_gpu) for _ in range(BUFFERS)]
        self._passed = [torch.cuda.Event() for _ in range(BUFFERS)] if on_gpu else []
        self._last: list[int] | None = None
        self.times = 0

    def update(self, addresses: list[int]) -> torch.Tensor:
        if addresses == self._last:
            return self.there
        slot = self.times % BUFFERS
        if self._passed and self.times >= BUFFERS and not self._passed[slot].query():
            self._pinned[slot] = torch.zeros_like(self._pinned[slot], pin_memory=True)  # still being read: leave it
        self._pinned[slot].copy_(torch.tensor(addresses, dtype=torch.int64))
        self.there.copy_(self._pinned[slot], non_blocking=True)
        if self._passed:
            self._passed[slot].record()
        self._last, self.times = addresses, self.times + 1
        return self.there
