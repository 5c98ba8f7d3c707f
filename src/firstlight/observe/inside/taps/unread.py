"""Loaders that the program has built and not yet evaluated on: a copy of the process reads a sample of them.

It is made once training was watched for long enough. The program itself never notices: the copy is forked, prints
nothing, and ends.
"""

import gc
import itertools
import os
import signal
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import world

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.feeding import Feeding, Plate
    from firstlight.observe.inside.taps.models import Call, Root

TIMELINE = "loaders"
SECONDS = 2
MOST_LOADERS = 4
MOST_BATCHES = 32
PAUSE = 0.01

Pointer = tuple[int, tuple[int, ...]]


class Unread:
    def __init__(self, observer: "Observer", feeding: "Feeding") -> None:
        self.observer, self.feeding = observer, feeding
        self.trained_from: ByIdentity[bool] = ByIdentity()
        self.places: dict[int, dict[str, int]] = {}
        """For each model: which tensor of a batch each of its inputs is."""
        self._last: tuple[weakref.ref[Any], dict[Pointer, int]] | None = None

    def batch_given(self, loader: Any, batch: Any) -> None:
        tensors = [tensor for tensor in reading.tensors_in(batch) if reading.readable(tensor) and not tensor.is_sparse]
        known = {(tensor.data_ptr(), tuple(tensor.shape)): place for place, tensor in enumerate(tensors)}
        self._last = (weakref.ref(loader), known) if loader is not None and len(known) == len(tensors) else None

    def returned(self, call: "Call") -> None:
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
        loaders = [found for found in _loaders() if found not in self.trained_from][:MOST_LOADERS] if waiting else []
        if len(waiting) != 1 or not loaders or self.observer.timeline is not None or not _may_fork(self.observer):
            return
        pid = os.fork()
        if pid:
            _wait(pid)
            return
        try:
            self._in_the_copy(loaders, *waiting[0])
        finally:
            os._exit(0)

    def _in_the_copy(self, loaders: list[Any], root: "Root", plate: "Plate", places: dict[str, int]) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (1, 2):
            os.dup2(nowhere, descriptor)
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


def _loaders() -> list[Any]:
    return [thing for thing in gc.get_objects() if issubclass(type(thing), torch.utils.data.DataLoader)]


def _may_fork(observer: "Observer") -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and world() == 1 and not torch.cuda.is_initialized() and observer.spec.owner != os.getpid()


def _wait(pid: int) -> None:
    end = time.monotonic() + SECONDS + 1
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(PAUSE)


def install(observer: "Observer", feeding: "Feeding") -> None:
    unread = Unread(observer, feeding)
    observer.moments.batch_given.append(observer.shielded("loaders", unread.batch_given))
    observer.moments.model_returned.append(observer.shielded("loaders", unread.returned))
    observer.moments.ending.append(observer.shielded("loaders", unread.read))
