"""DataLoaders: when an epoch begins, how long it is, and in which order it is read."""

import functools
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps import reading_ahead
from firstlight.records.places import Site
from firstlight.records.program import LoaderSeen, Waiting

MOST_EPOCHS = 20


class Loaders:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._epochs: ByIdentity[tuple[int, int]] = ByIdentity()
        self._made: dict[tuple[object, ...], tuple[int, weakref.ref[Any]]] = {}
        """The last of its kind that was read at a place, and its number."""
        self._count = 0

    def began(self, loader: "torch.utils.data.DataLoader[Any]") -> None:
        site = sites.caller(2)
        index, epoch = self._epochs.get(loader, None) or (self._number(loader, site), 0)
        self._epochs[loader] = (index, epoch + 1)
        if epoch >= MOST_EPOCHS:
            return
        self.observer.emit(
            LoaderSeen(
                loader=index,
                epoch=epoch,
                batches=_length(loader),
                batch_size=loader.batch_size,
                examples=_length(loader.dataset),
                sampler=type(loader.sampler).__name__,
                site=site,
                shuffled_by=_shuffled_by(loader.sampler),
            )
        )

    def _number(self, loader: "torch.utils.data.DataLoader[Any]", site: Site | None) -> int:
        """A new one, or that of its like which is gone: a program may make its loader anew for each epoch."""
        kind = (site, _length(loader), loader.batch_size, type(loader.sampler))
        number, last = self._made.get(kind, (self._count, None))
        if last is not None and last() is not None:
            number = self._count
        self._count = max(self._count, number + 1)
        self._made[kind] = (number, weakref.ref(loader))
        return number


class Waits:
    """How long training waits for its batches. Only gaps with a step in between count, and none that we make long."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._loader: Any = None
        self._last: tuple[int, float] | None = None
        self._site: Site | None = None
        self._watched = True
        """The step since the last batch was observed operation by operation, which takes longer."""
        self.batches = 0
        self.waited = self.elapsed = 0.0

    def add(self, loader: Any, begun: float, ended: float) -> None:
        step, before = self._last or (self.observer.step, begun)
        known = loader is not None and self._loader in (None, loader)
        if known and self.observer.step > step and not self._watched:
            self._loader = loader
            self._site = self._site or sites.caller()
            self.batches += 1
            self.waited += ended - begun
            self.elapsed += ended - before
        self._last = (self.observer.step, ended)
        self._watched = self.observer.full

    def tell(self) -> None:
        if self._loader is not None:
            self.observer.emit(
                Waiting(
                    site=self._site,
                    dataset=type(self._loader.dataset).__name__,
                    workers=self._loader.num_workers,
                    batches=self.batches,
                    waited=self.waited,
                    elapsed=self.elapsed,
                )
            )


def _shuffled_by(sampler: Any) -> int | None:
    if isinstance(sampler, torch.utils.data.distributed.DistributedSampler) and sampler.shuffle:
        return sampler.epoch
    return None


def _length(sized: Any) -> int | None:
    try:
        return len(sized)
    except (TypeError, NotImplementedError):
        return None


def install(observer: Observer) -> None:
    loaders = Loaders(observer)
    began = observer.shielded("loaders", loaders.began)
    original = torch.utils.data.DataLoader.__iter__

    @functools.wraps(original)
    def iterate(self: "torch.utils.data.DataLoader[Any]") -> Any:
        began(self)
        iterator: Any = original(self)
        iterator.firstlight_loader = self
        return iterator

    torch.utils.data.DataLoader.__iter__ = iterate  # type: ignore[method-assign]
    waits = Waits(observer)
    observer.moments.milestone.append(observer.shielded("loaders", waits.tell))
    _follow_batches(observer, waits)
    reading_ahead.install(observer)


def _follow_batches(observer: Observer, waits: Waits) -> None:
    """Until training begins, the last batch and the loader it came from are remembered; then, how long each takes."""
    kind: Any = torch.utils.data.dataloader._BaseDataLoaderIter
    original = kind.__next__
    told = observer.shielded("loaders", lambda iterator: setattr(observer, "batch_rows", _rows_of(iterator)))

    @functools.wraps(original)
    def following(self: Any) -> Any:
        begun = time.perf_counter()
        batch = original(self)
        if observer.backwards == 0:
            observer.last_batch = (id(getattr(self, "firstlight_loader", None)), batch)
        elif not observer.inert:
            waits.add(getattr(self, "firstlight_loader", None), begun, time.perf_counter())
        told(self)
        observer.tell(observer.moments.batch_given, getattr(self, "firstlight_loader", None), batch)
        return batch

    kind.__next__ = following
    _follow_rows(kind)
    observer.moments.backward_ended.append(lambda *_: setattr(observer, "last_batch", (None, None)))


def _follow_rows(kind: Any) -> None:
    """Which rows are asked for, workers or not: batches come in the order in which they were asked for."""
    original = kind._next_index

    @functools.wraps(original)
    def asking(self: Any) -> Any:
        found = original(self)
        self.__dict__.setdefault("firstlight_rows", deque()).append(found)
        return found

    kind._next_index = asking


def _rows_of(iterator: Any) -> tuple[int, ...]:
    """Of the dataset, in the batch just given. An iterator that is used again may have batches left from before."""
    asked = iterator.__dict__.get("firstlight_rows")
    rows = asked.popleft() if asked else ()
    again = getattr(iterator, "_persistent_workers", False) or not getattr(iterator, "_in_order", True)
    whole = isinstance(rows, list | tuple) and all(isinstance(row, int) for row in rows)
    return _undivided(iterator, rows) if whole and not again else ()


def _undivided(iterator: Any, rows: Sequence[int]) -> tuple[int, ...]:
    """Of what a part was taken from."""
    dataset = iterator._dataset
    while isinstance(dataset, torch.utils.data.Subset):
        rows, dataset = [int(dataset.indices[row]) for row in rows], dataset.dataset
    return tuple(rows)
