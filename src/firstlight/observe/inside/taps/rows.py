"""Which examples a data-parallel model is fed on this rank, in the first epoch: the smallest of their hashes.

The smallest hashes are the same sample of the examples on every rank, whatever the order: two ranks that were fed the
same data have the same ones, and two that share nothing have none in common.
"""

from typing import TYPE_CHECKING

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import rank, world
from firstlight.records.observed import RowsSeen

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.loaders import Loaders
    from firstlight.observe.inside.taps.models import Call

MOST_HASHES = 512
MOST_ELEMENTS_A_ROW = 1024
FACTOR, OFFSET = 6364136223846793005, 1442695040888963407
"""Knuth's, of MMIX's random numbers: neighbours become unrelated."""
HASHES = 1 << 32


class Rows:
    def __init__(self, observer: "Observer", loaders: "Loaders") -> None:
        self.observer, self.loaders = observer, loaders
        self._times: dict[int, int] = {}
        self._rows = 0

    def returned(self, call: "Call") -> None:
        if not call.training or world() == 1 or self.loaders.begun_again or not _is_parallel(call.module):
            return
        found = hashes_of(call.inputs)
        self._rows += len(found)
        for each in found:
            self._times[each] = self._times.get(each, 0) + 1
        if len(self._times) > MOST_HASHES:
            self._times = {each: self._times[each] for each in sorted(self._times)[:MOST_HASHES]}

    def tell(self) -> None:
        if self._rows:
            self.observer.emit(
                RowsSeen(
                    step=self.observer.step,
                    rank=rank(),
                    world=world(),
                    rows=self._rows,
                    smallest=tuple(sorted(self._times)),
                    times=sum(self._times.values()),
                    all=len(self._times) < MOST_HASHES,
                    whole=self.loaders.begun_again,
                )
            )


def _is_parallel(module: torch.nn.Module) -> bool:
    """Every rank holds the whole model, so that each is meant to get data of its own."""
    inner = getattr(module, "_orig_mod", module)
    if not isinstance(inner, torch.nn.parallel.DistributedDataParallel):
        return False
    return torch.distributed.get_world_size(inner.process_group) == world()


def hashes_of(inputs: list[torch.Tensor]) -> list[int]:
    """One a row, over all tensors that have as many rows as the first; equal, practically, for equal rows only."""
    tensors = [tensor for tensor in inputs if tensor.ndim and tensor.numel() and reading.readable(tensor)]
    total: torch.Tensor | None = None
    for tensor in tensors:
        if tensor.shape[0] == tensors[0].shape[0] and not tensor.is_sparse:
            hashed = _hashed(reading.values_of(tensor))
            total = hashed if total is None else total * FACTOR + hashed.to(total.device)
    return [] if total is None else ((total >> 32) % HASHES).tolist()


def _hashed(values: torch.Tensor) -> torch.Tensor:
    """Sums of whole numbers, which do not depend on the order they are added in; overflow wraps around."""
    flat = (values.real if values.is_complex() else values).reshape(values.shape[0], -1)
    flat = flat[:, :: max(1, flat.shape[1] // MOST_ELEMENTS_A_ROW)]
    bits = flat.float().contiguous().view(torch.int32) if flat.is_floating_point() else flat
    places = torch.arange(1, bits.shape[1] + 1, device=bits.device, dtype=torch.int64)
    return ((bits.long() * FACTOR + OFFSET) * (places * FACTOR + OFFSET | 1)).sum(1) * FACTOR + OFFSET


def install(observer: "Observer", loaders: "Loaders") -> None:
    rows = Rows(observer, loaders)
    observer.moments.model_returned.append(observer.shielded("rows", rows.returned))
    observer.moments.milestone.append(observer.shielded("rows", rows.tell))
