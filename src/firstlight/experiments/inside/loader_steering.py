"""Steers the loader that feeds training: fewer examples a batch, examples in another order."""

from typing import Any

import torch
from torch.utils.data import BatchSampler, RandomSampler
from torch.utils.data.dataloader import (
    _BaseDataLoaderIter,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)

from firstlight.experiments.inside.steering import changed
from firstlight.observe.inside.observer import Observer

LEAST_ROWS = 2
MOST_SKIPPED = 4
"""One in so many of the batches of an epoch, at most."""


def smaller_batch(observer: Observer, value: str) -> None:
    """The first rows of each batch only; what does not have the batch's length is left as it is."""
    part, source = float(value), observer.last_batch[0]
    for kind in (_BaseDataLoaderIter, _MultiProcessingDataLoaderIter):
        if "__next__" in vars(kind):
            _cut(kind, source, part)


def _cut(kind: Any, source: int | None, part: float) -> None:
    original = kind.__next__

    def fewer(self: Any) -> Any:
        batch = original(self)
        if id(getattr(self, "firstlight_loader", None)) != source:
            return batch
        rows: list[int] = []

        def shorten(tensor: torch.Tensor) -> torch.Tensor:
            if not tensor.ndim:
                return tensor
            rows.append(len(tensor))
            return tensor[: max(LEAST_ROWS, int(part * len(tensor)))] if len(tensor) == rows[0] else tensor

        return changed(batch, shorten)

    kind.__next__ = fewer


def shuffle(observer: Observer, _value: str) -> None:
    """From the second batch on, in a random order over the whole data set."""
    source = observer.last_batch[0]
    original: Any = _SingleProcessDataLoaderIter._next_data
    mixed: set[int] = set()

    def next_data(self: Any) -> Any:
        loader: Any = getattr(self, "firstlight_loader", None)
        if id(loader) == source and loader.batch_size and id(self) not in mixed:
            mixed.add(id(self))
            order = RandomSampler(loader.dataset, generator=torch.Generator().manual_seed(3))
            self._sampler_iter = iter(BatchSampler(order, loader.batch_size, loader.drop_last))
        return original(self)

    _SingleProcessDataLoaderIter._next_data = next_data  # type: ignore[method-assign]


def skip_batches(observer: Observer, value: str) -> None:
    """After the first batch, so many are passed over; at most a part of what an epoch has, so that it goes on."""
    source, left = observer.last_batch[0], [int(value)]
    kind: Any = _BaseDataLoaderIter
    original = kind.__next__

    def later(self: Any) -> Any:
        if left and id(getattr(self, "firstlight_loader", None)) == source:
            for _ in range(min(left.pop(), _room(self))):
                original(self)
        return original(self)

    kind.__next__ = later


def _room(batches: Any) -> int:
    try:
        return len(batches) // MOST_SKIPPED
    except TypeError:  # a stream
        return 0
