"""DataLoaders: when an epoch begins, how long it is, and in which order it is read."""

import functools
import weakref
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import rank
from firstlight.records.observed import LoaderSeen

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
            )
        )


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
        return original(self)

    torch.utils.data.DataLoader.__iter__ = iterate  # type: ignore[method-assign]
