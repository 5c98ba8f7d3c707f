"""DataLoaders: when an epoch begins, how long it is, and in which order it is read."""

import functools
import weakref
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import rank
from firstlight.records.program import LoaderSeen

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

MOST_EPOCHS = 20


class Loaders:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self._epochs: weakref.WeakKeyDictionary[Any, tuple[int, int]] = weakref.WeakKeyDictionary()

    def began(self, loader: "torch.utils.data.DataLoader[Any]") -> None:
        index, epoch = self._epochs.get(loader, (len(self._epochs), 0))
        self._epochs[loader] = (index, epoch + 1)
        if epoch >= MOST_EPOCHS:
            return
        self.observer.emit(
            LoaderSeen(
                step=self.observer.step,
                rank=rank(),
                loader=index,
                epoch=epoch,
                batches=_length(loader),
                batch_size=loader.batch_size,
                examples=_length(loader.dataset),
                sampler=type(loader.sampler).__name__,
                site=sites.caller(2),
                shuffled_by=_shuffled_by(loader.sampler),
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


def install(observer: "Observer") -> None:
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
    _keep_first_batch(observer)


def _keep_first_batch(observer: "Observer") -> None:
    """Until training begins, the last batch and the loader it came from are remembered."""
    kind: Any = torch.utils.data.dataloader._BaseDataLoaderIter
    original = kind.__next__

    @functools.wraps(original)
    def following(self: Any) -> Any:
        batch = original(self)
        if observer.backwards == 0:
            observer.last_batch = (id(getattr(self, "firstlight_loader", None)), batch)
        return batch

    kind.__next__ = following
    observer.moments.backward_ended.append(lambda *_: setattr(observer, "last_batch", (None, None)))
