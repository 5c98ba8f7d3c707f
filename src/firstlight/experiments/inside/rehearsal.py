"""In a rehearsal: tells loops when an optimizer steps, counts what the program comes to, and ends it in time."""

import atexit
import functools
import math
import multiprocessing.util
import os
import posix
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import torch

from firstlight.experiments.inside import (
    copies,
    deadlocks,
    evaluated_states,
    kept_graphs,
    lives,
    metrics,
    newcomers,
    randomness,
    reloading,
    resuming,
    roundings,
    selecting,
    standing_by,
    tracked,
)
from firstlight.experiments.inside.seclusion import stay_eager
from firstlight.experiments.inside.shortening import libraries, prelude, schedules
from firstlight.experiments.inside.shortening.rounds import WHOLE, Book, Loop
from firstlight.experiments.plan import ORDER, RESUMED, Order
from firstlight.observe.inside import containment, sites
from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.observer import Observer, world
from firstlight.observe.inside.taps.models import Call
from firstlight.records.declared import Logged
from firstlight.records.rehearsal import FileWritten, LoopSeen, Shortened

MOST_LOOPS = 12
MOST_FILES = 40
PHASE_CALLS = 2
"""So many calls without gradients between two steps, or one in eval mode, are an evaluation."""


class Rehearsal:
    def __init__(self, observer: Observer, book: Book, order: Order) -> None:
        self.observer, self.book, self.seconds = observer, book, order.seconds
        self._begun = time.monotonic()
        self._telling = threading.Lock()
        """Taken for good by whoever comes first: the end of the program, or the end of its time."""
        self._timer: threading.Timer | None = None
        self._calls = 0
        self._evaluated = False
        self.evaluations = self.checkpoints = 0
        self.schedules = schedules.Schedules(book)
        self.numbers = tracked.Numbers()
        self.selecting = selecting.Selecting(observer, prelude.compared)
        self.lives = lives.install(observer)
        self.copies = copies.install(observer, self.schedules.loops)  # after it: asks which line goes over the weights
        self.newcomers = newcomers.install(observer)
        self.standing_by = standing_by.install(observer, book)
        self.deadlocks = deadlocks.install(observer)
        self.randomness = randomness.install(observer)
        self.roundings = roundings.install(observer)
        self.kept_graphs = kept_graphs.install(observer, self.schedules.loops)
        self.evaluated = evaluated_states.install(observer)
        self.resuming = resuming.install(observer, book, resumed=order.name == RESUMED)

    def backward_begins(self, *_: Any) -> None:
        """The time for it runs from here on: what comes before belongs to every run of the program."""
        if self._timer is None:
            self._timer = threading.Timer(self.seconds, self._out_of_time)
            self._timer.daemon = True
            self._timer.start()

    def stepped(self) -> None:
        self.book.stepped(_stack(sys._getframe(1)))
        self._calls, self._evaluated = 0, False

    def returned(self, call: Call) -> None:
        if call.training or not self.observer.backwards or self._evaluated:
            return
        self._calls += 1
        if self._calls >= PHASE_CALLS or not call.module.training:
            self._evaluated = True
            self.evaluations += 1

    def saved(self) -> None:
        self.checkpoints += 1

    def _out_of_time(self) -> None:
        if self._telling.locked():
            return
        main = threading.main_thread().ident
        frame = sys._current_frames().get(main or 0)
        place = next(((file, line) for file, line in _stack(frame) if sites.is_users(file)), None)
        self.tell("time", place)
        os._exit(0)

    def tell(self, ended: str, place: tuple[str, int] | None = None) -> None:
        if not self._telling.acquire(blocking=False):
            return
        book = self.book
        training = [loop for loop in book.loops if loop.trains]
        files = self._files()
        elapsed = time.monotonic() - self._begun
        self.observer.emit(
            Shortened(
                ended=ended,
                site=None if place is None else sites.site_of(*place),
                epochs=book.epochs + max((loop.passes for loop in training if not loop.outer), default=0),
                evaluations=self.evaluations,
                checkpoints=self.checkpoints,
                loops=tuple(_seen(loop) for loop in training[:MOST_LOOPS]),
                files=tuple(files[:MOST_FILES]),
                written=sum(file.size for file in files),
                full_seconds=None if book.unbounded or not training else round(elapsed + book.saved, 1),
                planned_steps=book.planned_steps() if ended == "exit" else None,
                peak_bytes=_peak(),
                tracked=self.numbers.seen(),
            )
        )
        self.observer.unable_to_raise("rehearsal", self._tell_of_life)(ended)

    def _tell_of_life(self, ended: str) -> None:
        with self.observer.quiet():
            later = self.schedules.played_out() if ended == "exit" else ()
            averages = () if self.book.evaluates_less else self.selecting.measured.averages.seen()
            told: list[Logged] = [
                *self.selecting.seen(),
                *self.selecting.measured.scoring.seen(ended == "exit"),
                *self.selecting.measured.wanted.seen(),
                *self.selecting.measured.side_by_side.seen(),
                *self.selecting.measured.carried.seen(),
                *averages,
                *self.copies.seen(ended == "exit"),
                *self.lives.seen(),
                *self.newcomers.seen(),
                *self.standing_by.seen(ended),
                *self.deadlocks.seen(),
                *self.randomness.seen(),
                *self.roundings.seen(),
                *self.kept_graphs.seen(),
                *self.evaluated.seen(),
                *self.resuming.seen(),
                *later,
            ]
            for record in told:
                self.observer.emit(record)

    def _files(self) -> list[FileWritten]:
        spec = self.observer.spec
        if not spec.contain:
            return []
        overlay = containment.install(Path(spec.scratch))
        kept = [(place, overlay.layers.kept(place)) for place in containment.held_back(overlay)]
        return [FileWritten(path=place, size=posix.lstat(path).st_size) for place, path in kept]


def _stack(frame: FrameType | None) -> Iterator[tuple[str, int]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno or 0
        frame = frame.f_back


def _seen(loop: Loop) -> LoopSeen:
    site = sites.site_of(loop.file, loop.first)
    assert site is not None
    return LoopSeen(site=site, passes=loop.passes, rounds=loop.rounds, planned=loop.planned, outer=loop.outer)


def _peak() -> int:
    """Of this process, and of the device it computes on."""
    unit = 1 if sys.platform == "darwin" else 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return own + (torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else 0)


def _count_saves(rehearsal: Rehearsal) -> None:
    def counted(module: Any, name: str) -> None:
        original = getattr(module, name)

        @functools.wraps(original)
        def save(*arguments: Any, **options: Any) -> Any:
            found = original(*arguments, **options)
            rehearsal.saved()
            return found

        setattr(module, name, save)

    counted(torch, "save")
    when_imported("safetensors.torch", lambda module: counted(module, "save_file"))


def install(observer: Observer) -> None:
    order = msgspec.json.decode((Path(observer.spec.run) / ORDER).read_bytes(), type=Order)
    observer.timeline = order.name
    observer.spec = msgspec.structs.replace(observer.spec, steps=sys.maxsize, seconds=math.inf)
    counted = prelude.book()
    book = counted or Book(WHOLE)
    rehearsal = Rehearsal(observer, book, order)
    if counted is not None:
        libraries.shorten(counted)
    reloading.install(observer)
    _count_saves(rehearsal)
    tracked.follow(rehearsal.numbers)
    metrics.follow(rehearsal.selecting.measured, rehearsal.numbers)
    selecting.follow(rehearsal.selecting)
    schedules.follow(rehearsal.schedules, functools.partial(observer.shielded, "rehearsal"))
    moments = observer.moments
    moments.backward_begins.append(rehearsal.backward_begins)
    moments.next_step.append(observer.shielded("rehearsal", rehearsal.stepped))
    moments.model_returned.append(observer.shielded("rehearsal", rehearsal.returned))
    moments.training_begins.append(_settle_in)
    atexit.register(rehearsal.tell, "exit")
    multiprocessing.util.Finalize(None, rehearsal.tell, args=("exit",), exitpriority=5)


def _settle_in() -> None:
    """Others run on the other cores, and compiling would take longer than the rehearsal."""
    if not torch.cuda.is_initialized() and world() == 1:
        torch.set_num_threads(1)
    stay_eager()
