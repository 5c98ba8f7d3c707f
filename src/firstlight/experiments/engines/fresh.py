"""Timelines as fresh runs of the whole command, for programs that cannot be forked: on a GPU, over several ranks.

Each pays the script's start-up, and begins as the program did only as far as the script is deterministic; whether it
was is read off the first losses.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import psutil

from firstlight.experiments.engine import NURSERY, fates
from firstlight.experiments.engines.job import Job, Made, job
from firstlight.experiments.plan import Order
from firstlight.observe.inside import cores
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Watched
from firstlight.records import wire
from firstlight.records.events import Fact
from firstlight.records.program import ProcessSeen
from firstlight.records.sighting import Sighting
from firstlight.records.timelines import NurseryOpened, TimelineEnded
from firstlight.store.event_log import EventLog

PATIENCE = 3.0
"""Times the seconds a forked engine has: every timeline starts the script again."""
STARTUP_FACTOR = 4.0
"""Times the start-up of the program itself that a timeline may take, others running beside it."""
LEAST_STARTUP_SECONDS = 20.0
LEAST_FREE_BYTES = 1 << 30


class Hands(Protocol):
    """Who does the jobs."""

    name: str

    def ready(self) -> bool:
        """Whether a job may be begun now. Never waits; the first call may set things going."""

    def begin(self, job: Job) -> Any:
        """A token by which to ask for what was made."""

    def made(self, token: Any) -> Made | None:
        """None while it is being made. Never waits, never raises."""

    def end(self) -> None:
        """Drops every job under way. No process is left."""


class FreshEngine:
    extensions = ("firstlight.experiments.inside.fresh:announce",)

    def __init__(self, hands: Hands, target: Target, program: Spec, seconds: float) -> None:
        """`program` is what the program itself is observed with."""
        self.hands, self.target, self.program = hands, target, program
        self.seconds = PATIENCE * seconds
        self.reason: str | None = None
        """Why not another engine, where one was tried first."""
        self.ordered: list[Order] = []
        self._environment: Mapping[str, str] = dict(os.environ)
        self._waiting: list[Order] = []
        self._running: dict[str, Any] = {}
        self._log: EventLog | None = None
        self._opened: float | None = None

    def attend(self, watched: Watched) -> bool:
        ready = self.hands.ready()
        if watched.startup is None:
            return False
        if self._log is None:
            self._log = EventLog(Path(self.program.events), self.program.run_id)
            self._log.timeline = NURSERY
            self._note(NurseryOpened(step=0, pid=os.getpid(), engine=self.hands.name, reason=self.reason))
        self._collect()
        if ready and self._waiting:
            self._begin(watched)
        return True

    def order(self, *orders: Order) -> None:
        """What is ordered last, knowing most, goes first: the time may not suffice for all."""
        self.ordered += orders
        self._waiting = [*orders, *self._waiting]

    def close(self) -> None:
        """Nothing to tell anyone."""

    def settled(self, watched: Watched) -> bool:
        if not self.attend(watched):
            return True
        spent = time.monotonic() - self._opened if self._opened is not None else 0.0
        return fates(watched).keys() >= {order.name for order in self.ordered} or spent > self.seconds

    def end(self) -> None:
        self.hands.end()
        if self._log is not None:
            self._log.close()
            self._log = None

    def _begin(self, watched: Watched) -> None:
        """As many at once as there are cores; one, and not beside the program, where they would share a device."""
        alone = any(seen.device != "cpu" or seen.world > 1 for seen in watched.of(ProcessSeen))
        if alone and not watched.over:
            return
        if self._opened is None:
            self._opened = time.monotonic()
        most = 1 if alone else cores.usable()
        while self._waiting and len(self._running) < most and (not self._running or _memory_suffices()):
            order = self._waiting.pop(0)
            startup = max(LEAST_STARTUP_SECONDS, STARTUP_FACTOR * (watched.startup or 0.0))
            self._running[order.name] = self.hands.begin(
                job(order, self.target, self.program, self._environment, startup)
            )

    def _collect(self) -> None:
        """What was seen goes into the program's log, and after it what became of the timeline."""
        for name, token in list(self._running.items()):
            made = self.hands.made(token)
            if made is None:
                continue
            del self._running[name]
            assert self._log is not None
            self._log.take_in(made.events)
            self._note(
                TimelineEnded(step=0, name=name, seconds=made.seconds, exit_code=made.exit_code, message=made.message)
            )

    def _note(self, record: Sighting) -> None:
        assert self._log is not None
        self._log.append(Fact, observed=wire.to_plain(record))


def _memory_suffices() -> bool:
    return psutil.virtual_memory().available >= LEAST_FREE_BYTES
