"""Examples that a dataset keeps in memory, read again and again in a copy of the process once the program is over."""

import weakref
from typing import Any

import torch

from firstlight.observe.inside import aside
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.relations.rereading import KeptExamples, Rereader, reread
from firstlight.records import wire
from firstlight.records.stored import KeptReread


class Rereading:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._given: weakref.ref[Any] | None = None
        """The loader that gave a batch last; below, the one that is trained from, and what was kept then."""
        self._loader: weakref.ref[Any] | None = None
        self._first: KeptExamples | None = None
        self._asked = False

    def batch_given(self, loader: Any, _batch: Any) -> None:
        if not self._asked:
            self._given = weakref.ref(loader) if loader is not None else None

    def backward_begins(self, *_: Any) -> None:
        if self._asked:
            return
        self._asked = True
        loader = self._given() if self._given is not None else None
        if loader is not None and self.observer.timeline is None and _goes_on(loader):
            self._loader, self._first = weakref.ref(loader), Rereader(loader).kept()

    def tell(self) -> None:
        loader, first = self._loader() if self._loader is not None else None, self._first
        if loader is None or first is None or not first.places:
            return

        def question() -> bytes:
            found = reread(loader, first)
            return wire.encode(found) if found is not None else b""

        answer = aside.asked(self.observer, question)
        if answer:
            self.observer.emit(wire.decode(answer, KeptReread))


def _goes_on(loader: Any) -> bool:
    """What one pass leaves in the dataset is there in the next: workers that are made anew begin with a fresh copy."""
    dataset: Any = getattr(loader, "dataset", None)
    sized = hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")
    plain = sized and not isinstance(dataset, torch.utils.data.IterableDataset) and len(dataset) > 0
    return plain and (loader.num_workers == 0 or loader.persistent_workers)


def install(observer: Observer) -> None:
    rereading = Rereading(observer)
    observer.moments.batch_given.append(observer.shielded("rereading", rereading.batch_given))
    observer.moments.backward_begins.append(observer.shielded("rereading", rereading.backward_begins))
    observer.moments.ending.append(observer.shielded("rereading", rereading.tell))
