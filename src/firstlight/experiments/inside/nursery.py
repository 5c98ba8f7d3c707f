"""Makes timelines: a copy of the script, held at its first training batch, from which others are forked.

When the first model is about to be called in training, the process forks once. The original goes on, untouched: it
is the baseline. The copy keeps still, reads orders from a file, and forks a child for each: same weights, same
batch, same random state, one thing changed. Children end without running the script's own clean-up, which belongs
to the original.
"""

import contextlib
import os
import random
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch

from firstlight.experiments.inside import ending, interventions, seclusion
from firstlight.experiments.inside.forking import fork
from firstlight.experiments.plan import Order
from firstlight.observe.inside import cores
from firstlight.observe.inside.observer import Observer, rank, world
from firstlight.observe.spec import PATIENCE
from firstlight.records.timelines import NurseryOpened, TimelineEnded
from firstlight.store.event_log import LineReader

ORDERS = "orders.ndjson"
PAUSE = 0.02
IDLE_SECONDS = 120.0
GRACE_SECONDS = 3.0
LEAST_FREE_BYTES = 1 << 30


@dataclass
class Child:
    order: Order
    pid: int
    begun: float


class Nursery:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._reader = LineReader(Path(observer.spec.run) / ORDERS)
        self._waiting: list[Order] = []
        self._running: list[Child] = []
        self._closing = False

    def open(self) -> None:
        """Called in the original when training begins. Returns in the original, and in every child."""
        reason = why_not_fork()
        if reason is not None:
            self.observer.describe()
            self.observer.unseen("timelines", reason)
            return
        sys.stdout.flush()
        sys.stderr.flush()
        state = random.getstate()
        if fork() != 0:
            return
        order = self._keep_still()
        random.setstate(state)  # Python seeds this generator, and only this one, anew in every fork
        tell_of_end = ending.listen(self.observer) if order.to_end else None
        seclusion.withdraw(self.observer, order.name)
        if tell_of_end is not None:
            tell_of_end()
        interventions.begin(self.observer, order)

    def _keep_still(self) -> Order:
        """The copy's life. Returns only in a child, with what it is to do."""
        be_quiet()
        torch.set_num_threads(1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with contextlib.suppress(OSError):  # a full disk: each copy tries again
            seclusion.part(self.observer, f"nursery-{os.getpid()}")
        self.observer.timeline = "nursery"
        self.observer.emit(NurseryOpened(step=0, rank=rank(), pid=os.getpid()))
        idle_since = time.monotonic()
        while True:
            self._read()
            self._reap()
            order = self._next()
            if order is not None and (child := self._start(order)) is not None:
                return child
            if self._waiting or self._running:
                idle_since = time.monotonic()
            if self._over(idle_since):
                os._exit(0)
            time.sleep(PAUSE)

    def _read(self) -> None:
        """What is ordered last, knowing most, goes first: the time may not suffice for all."""
        new: list[Order] = []
        for event in self._reader.new():
            if event.get("close"):
                self._closing = True
            else:
                plain = {key: value for key, value in event.items() if key not in ("phase", "event")}
                new.append(msgspec.convert(plain, Order))
        self._waiting = [*new, *self._waiting]

    def _next(self) -> Order | None:
        if not self._waiting or len(self._running) >= cores.usable():
            return None
        if _free_bytes() < LEAST_FREE_BYTES and self._running:
            return None
        return self._waiting.pop(0)

    def _start(self, order: Order) -> Order | None:
        pid = fork()
        if pid == 0:
            self._running = []
            return order
        self._running.append(Child(order, pid, time.monotonic()))
        return None

    def _reap(self) -> None:
        """A child that dies, or hangs beyond its time, is a fact."""
        for child in list(self._running):
            seconds = time.monotonic() - child.begun
            found, status = os.waitpid(child.pid, os.WNOHANG)
            if found == 0 and seconds <= PATIENCE * child.order.seconds + GRACE_SECONDS:
                continue
            if found == 0:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGKILL)
                os.waitpid(child.pid, 0)
            self._running.remove(child)
            code = os.waitstatus_to_exitcode(status) if found else None
            self.observer.emit(
                TimelineEnded(step=0, rank=rank(), name=child.order.name, seconds=round(seconds, 3), exit_code=code)
            )

    def _over(self, idle_since: float) -> bool:
        if self._closing and not self._waiting and not self._running:
            return True
        if time.monotonic() - idle_since > IDLE_SECONDS:
            return True
        try:
            os.kill(self.observer.spec.owner, 0)
        except ProcessLookupError:
            return True
        return False


def why_not_fork() -> str | None:
    """A copy of this process would not work, and why."""
    if not hasattr(os, "fork"):
        return "this platform cannot fork"
    if torch.cuda.is_initialized():
        return "CUDA is initialised, and its state cannot be forked"
    if world() > 1:
        return "ranks talk to each other, and a copy would join in"
    if threading.current_thread() is not threading.main_thread():
        return "training runs in a second thread"
    return None


def be_quiet() -> None:
    """The copy and its children print nothing, and do not hold the original's output open."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


def _free_bytes() -> int:
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 1 << 62


def install(observer: Observer) -> None:
    nursery = Nursery(observer)
    observer.moments.training_begins.insert(0, nursery.open)
