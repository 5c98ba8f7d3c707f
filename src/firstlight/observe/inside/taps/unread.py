"""Loaders that the program has built and not yet evaluated on: a copy of the process reads a sample of them.

It is made once training was watched for long enough.
"""

import itertools
import weakref
from typing import Any

import torch

from firstlight.observe.inside import aside, living, reading
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.feeding import Feeding, Plate
from firstlight.observe.inside.taps.models import Call, Root

TIMELINE = "loaders"
MOST_LOADERS = 4
MOST_BATCHES = 32

Pointer = tuple[int, tuple[int, ...]]


class Unread:
    def __init__(self, observer: Observer, feeding: Feeding) -> None:
        self.observer, self.feeding = observer, feeding
        self.trained_from: ByIdentity[bool] = ByIdentity()
        self.places: dict[int, dict[str, int]] = {}
        """For each model: which tensor of a batch each of its inputs is."""
        self._last: tuple[weakref.ref[Any], dict[Pointer, int]] | None = None

    def batch_given(self, loader: Any, batch: Any) -> None:
        tensors = [tensor for tensor in reading.tensors_in(batch) if reading.readable(tensor) and not tensor.is_sparse]
        known = {(tensor.data_ptr(), tuple(tensor.shape)): place for place, tensor in enumerate(tensors)}
        self._last = (weakref.ref(loader), known) if loader is not None and len(known) == len(tensors) else None

    def returned(self, call: Call) -> None:
        root = self.feeding.models.roots.get(id(call.module))
        if root is None or not call.training or self._last is None:
            return
        loader, known = self._last[0](), self._last[1]
        given = named(call.arguments, call.keywords)
        if loader is None or any(not reading.readable(tensor) or tensor.is_sparse for tensor in given.values()):
            return
        self.trained_from[loader] = True
        places = {name: known.get((tensor.data_ptr(), tuple(tensor.shape))) for name, tensor in given.items()}
        if all(place is not None for place in places.values()):
            self.places[root.index] = {name: place for name, place in places.items() if place is not None}

    def read(self) -> None:
        """Where a model was trained and never evaluated."""
        waiting = [
            (root, plate, self.places[root.index])
            for root in self.feeding.models.live()
            if (plate := self.feeding.plates.get(root.index)) is not None
            and root.index in self.places
            and not plate.eval_calls
            and not plate.joint
        ]
        loaders = (
            [found for found in living.of(torch.utils.data.DataLoader) if found not in self.trained_from][:MOST_LOADERS]
            if waiting
            else []
        )
        if len(waiting) == 1 and loaders and self.observer.timeline is None:
            aside.asked(self.observer, lambda: self._in_the_copy(loaders, *waiting[0]))

    def _in_the_copy(self, loaders: list[Any], root: Root, plate: Plate, places: dict[str, int]) -> bytes:
        self.observer.timeline = TIMELINE
        whole = plate.feed.met.whole
        for loader in loaders:
            loader.num_workers = 0
            for batch in itertools.islice(loader, MOST_BATCHES):
                tensors = list(reading.tensors_in(batch))
                if max(places.values()) < len(tensors):
                    plate.eval_calls += 1
                    plate.feed.evaluate({name: tensors[place] for name, place in places.items()})
        self.feeding.tell_unread(root, plate, whole)
        return b""


def install(observer: Observer, feeding: Feeding) -> None:
    unread = Unread(observer, feeding)
    for moment in (observer.moments.batch_given, observer.moments.batch_asked):
        moment.append(observer.shielded("loaders", unread.batch_given))
    observer.moments.model_returned.append(observer.shielded("loaders", unread.returned))
    observer.moments.ending.append(observer.shielded("loaders", unread.read))
