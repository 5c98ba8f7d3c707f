"""The guard's event log: everything at first, then ever fewer steps, so that a long run keeps a short log.

Append-only, as every log of ours. After each `steps` lines of one kind only every second of the remaining steps is
written, and so on: a million steps take a few times the room of the first twenty thousand. Of a disk that is nearly
full nothing is taken: lines wait in memory, and the oldest go when there are too many. That, a full disk, or a folder
that cannot be written to, costs lines, never the run; the number lost is told at the end.
"""

import functools
import itertools
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import FirstlightError
from firstlight.guard import ranks
from firstlight.records import wire
from firstlight.records.events import GradientStats, Heartbeat, _Event
from firstlight.records.telemetry import TensorRow
from firstlight.store.event_log import EventLog
from firstlight.store.room import room
from firstlight.store.run_directory import RunDirectory

MOST_TENSORS_A_LINE = 150
"""Keeps a line of statistics below the longest a line may be."""
HISTOGRAMS = 4
"""A look at them is sixteen lines: so many times fewer are kept, as many as a page shows."""
HEARTBEAT_S = 30.0
"""A log in which nothing was written for so long gets a line that the run is alive, at the end of the step."""
MOST_WAITING = 1000
"""Lines that wait in memory for room on the disk."""
ROOM_S = 1.0
"""So often a disk is asked what it has left."""
PATIENCE_S = 30.0
"""A log that failed is tried again after this long."""


_numbers = itertools.count()
"""Guards of this process, in the order in which they were made: the same on every rank."""


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a long run is kept in the log."""

    steps: int = 10_000
    """Lines of steps until the spacing of steps doubles; each doubling gets as many again."""
    tensors_every: int = 100
    """Steps from one line with the statistics of all tensors to the next."""
    tensors: int = 200
    """Such lines until their spacing doubles."""
    bytes: int = 1 << 30
    """After so many only red flags are written."""


class Thinned:
    """Which of a series are kept: all at first, then every second, every fourth …, `most` of each."""

    def __init__(self, most: int, every: int = 1) -> None:
        self._most, self.stride = max(1, most), max(1, every)
        self._kept = 0

    def keeps(self, number: int) -> bool:
        if number % self.stride:
            return False
        self._kept += 1
        if self._kept >= self._most:
            self._kept, self.stride = 0, self.stride * 2
        return True


class Journal:
    def __init__(self, directory: RunDirectory | Path | None, retention: Retention, rank: int = 0) -> None:
        self.run: RunDirectory | None = None
        self.rank = rank
        self.retention = retention
        self.written_bytes = 0
        self.problem: str | None = None
        self._log: EventLog | None = None
        self._waiting: deque[bytes] = deque()
        self._dropped = 0
        self._room, self._asked_at = 0, -ROOM_S
        self._retry_at = 0.0
        self._written_at = time.monotonic()
        self._parent = directory
        self._number = next(_numbers)
        self._steps: dict[int, Thinned] = {}
        self._tensors: dict[int, Thinned] = {}
        self._devices, self._histograms = Thinned(retention.tensors), Thinned(retention.tensors // HISTOGRAMS)

    def wants_step(self, optimizer: int, step: int) -> bool:
        return self._steps.setdefault(optimizer, Thinned(self.retention.steps)).keeps(step)

    def wants_tensors(self, optimizer: int, step: int) -> bool:
        retention = self.retention
        thinned = Thinned(retention.tensors, retention.tensors_every)
        return self._tensors.setdefault(optimizer, thinned).keeps(step)

    def wants_device(self, step: int) -> bool:
        return self._devices.keeps(step)

    def wants_histograms(self, look: int) -> bool:
        return self._histograms.keeps(look)

    @property
    def is_own(self) -> bool:
        """The run is this guard's, not that of a command around the program."""
        return not isinstance(self._parent, RunDirectory)

    @property
    def full(self) -> bool:
        return self.written_bytes > self.retention.bytes

    def write(self, kind: type[_Event], /, *, always: bool = False, **fields: Any) -> None:
        """One line. `always` is for what must not be thinned: flags, faults, the end."""
        if self.full and not always:
            return
        try:
            self._waiting.append(self._begun().line(kind, **fields))
        except FirstlightError as error:
            self._dropped += 1
            self._failed(error)
        self._write_waiting()

    @property
    def lost(self) -> int:
        """Lines that could not be written, so far."""
        return self._dropped + len(self._waiting)

    def beats(self, step: int) -> None:
        """However thinned the log of a long run is, one that is alive writes."""
        if time.monotonic() - self._written_at > HEARTBEAT_S:
            self._written_at = time.monotonic()
            self.write(Heartbeat, always=True, step=step)

    def write_rows(self, step: int, rows: list[TensorRow]) -> None:
        for start in range(0, len(rows), MOST_TENSORS_A_LINE):
            some = rows[start : start + MOST_TENSORS_A_LINE]
            self.write(GradientStats, step=step, params=[_plain(row) for row in some])

    def try_again(self) -> None:
        """At once, whenever it last failed."""
        self._retry_at, self._asked_at = 0.0, -ROOM_S
        self._write_waiting()

    def close(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def _begun(self) -> EventLog:
        """Nothing is made on the disk before there is room for it: a guard that never sees a step leaves nothing."""
        if self._log is None:
            self._log = EventLog(self._home.events, self._home.id, rank=self.rank, lazily=True)
        return self._log

    @functools.cached_property
    def _home(self) -> RunDirectory:
        if isinstance(self._parent, RunDirectory):
            return self._parent
        return RunDirectory.planned(self._parent or Path.cwd(), ranks.shared_name(self._number))

    def _write_waiting(self) -> None:
        """All of it, if there is room. The oldest of too many that wait are dropped."""
        if self._waiting and time.monotonic() >= self._retry_at:
            try:
                self._settle(b"".join(self._waiting))
            except (OSError, FirstlightError) as error:
                self._failed(error)
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self._dropped += 1

    def _settle(self, lines: bytes) -> None:
        if time.monotonic() - self._asked_at > ROOM_S:
            self._asked_at = time.monotonic()
            self._room = room(next(folder for folder in self._home.path.parents if folder.is_dir()))
        if len(lines) > self._room:
            self._tell("the disk has too little left for anything but the training's own files")
            return
        if self.run is None:
            self._home.make()
            self.run = self._home
        self._begun().write(lines)
        self._room -= len(lines)
        self.written_bytes += len(lines)
        self._written_at = time.monotonic()
        self._waiting.clear()

    def _failed(self, error: Exception) -> None:
        self._retry_at = time.monotonic() + PATIENCE_S
        self._tell(str(error))

    def _tell(self, problem: str) -> None:
        if self.problem is None:
            self.problem = problem
            sys.stderr.write(f"firstlight guard: the log cannot be written ({problem}); watching goes on without it\n")


def _plain(row: TensorRow) -> dict[str, Any]:
    """Short numbers: a log is read by people and plotted, not computed with."""
    found = {name: _short(value) for name, value in wire.to_plain(row).items() if value is not None}
    found["norm"] = found.pop("l2")
    if row.nonfinite:
        found["issue"] = f"{row.nonfinite} non-finite"
    return found


def _short(value: Any) -> Any:
    return float(f"{value:.5g}") if isinstance(value, float) else value
