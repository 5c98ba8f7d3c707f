"""One run's log, read as it grows: what it measured in bounded memory, and where in the file each step is."""

import threading
import time
from dataclasses import dataclass
from typing import Any

from firstlight.errors import FirstlightError
from firstlight.facts.chronicle.gathering import Gathering
from firstlight.records.chronicle import Chronicle
from firstlight.store.event_log import LineReader
from firstlight.store.run_directory import RunDirectory

BLOCK = 1024 * 1024
"""Bytes of the log between two entries of the index."""
MOST_DETAIL_BYTES = 64 * BLOCK
"""Read for one look into a stretch of steps; a longer stretch is shown as thinned as the whole."""
MOST_SIGHTINGS = 500
LOUD = frozenset({"finding", "red_flag", "exception", "run_end"})


@dataclass(slots=True)
class Block:
    start: int
    end: int
    low: int
    high: int
    """Steps in it, of the program itself."""


class Follower:
    """Several threads may ask; one of them reads at a time."""

    def __init__(self, run: RunDirectory) -> None:
        self.run = run
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._reader = LineReader(self.run.events)
        self._gathering = Gathering()
        self._blocks: list[Block] = []
        self.sightings: list[dict[str, Any]] = []
        self.fault: str | None = None

    def advance(self, seconds: float) -> bool:
        """Reads what is new, for so long; whether there was anything."""
        with self._lock:
            size = self._size()
            if size < self._reader.offset:
                self._begin()  # another log was put in its place
            before = self._reader.offset
            until = time.monotonic() + seconds
            try:
                while self._reader.offset < size and self.fault is None and self._read():
                    if time.monotonic() > until:
                        break
            except FirstlightError as error:
                self.fault = str(error)
            return self._reader.offset != before

    @property
    def read(self) -> float:
        """Share of the log that was read."""
        size = self._size()
        return 1.0 if self.fault or not size else min(1.0, (self._reader.offset + len(self._reader.torn)) / size)

    def chronicle(self) -> Chronicle:
        with self._lock:
            return self._gathering.done()

    def between(self, low: float, high: float) -> Chronicle | None:
        """Only these steps, as fine as they were logged; None where that would mean reading too much."""
        with self._lock:
            wanted = [block for block in self._blocks if block.low <= high and block.high >= low]
        if sum(block.end - block.start for block in wanted) > MOST_DETAIL_BYTES:
            return None
        gathering = Gathering()
        for start, end in _joined(wanted):
            reader = LineReader(self.run.events, start)
            for event in reader.new():
                if reader.offset > end:
                    break
                step = event.get("step")
                if event["phase"] == "step" and isinstance(step, int) and low <= step <= high:
                    gathering.take(event)
        return gathering.done()

    def _size(self) -> int:
        try:
            return self.run.events.stat().st_size
        except OSError:
            return 0

    def _read(self) -> bool:
        start = self._reader.offset
        for event in self._reader.new(most_bytes=1):
            self._gathering.take(event)
            phase = event["phase"]
            if phase == "step":
                self._note(event)
            elif phase in LOUD and len(self.sightings) < MOST_SIGHTINGS:
                self._hear(_loud(event))
        if self._blocks:
            self._blocks[-1].end = self._reader.offset
        return self._reader.offset != start

    def _hear(self, said: dict[str, Any]) -> None:
        """The guard writes a red flag and, right after it, the finding it is about: one thing, told once."""
        last = self.sightings[-1] if self.sightings else {"phase": None, "id": "", "text": ""}
        about = (last["phase"], said["phase"]) == ("red_flag", "finding")
        if about and said["text"] == _cut(f"{last['id']}: {last['text']}"):
            self.sightings.pop()
        self.sightings.append(said)

    def _note(self, event: dict[str, Any]) -> None:
        step = event.get("step")
        if not isinstance(step, int) or event.get("timeline") is not None:
            return
        last = self._blocks[-1] if self._blocks else None
        if last is None or self._reader.offset - last.start > BLOCK:
            # The line just given ends at the offset; an index that begins a line late would lose it.
            begin = last.end if last is not None else 0
            self._blocks.append(last := Block(begin, self._reader.offset, step, step))
        last.low, last.high, last.end = min(last.low, step), max(last.high, step), self._reader.offset


def _joined(blocks: list[Block]) -> list[tuple[int, int]]:
    """Stretches of the file; neighbours are read in one go."""
    found: list[tuple[int, int]] = []
    for block in blocks:
        if found and found[-1][1] == block.start:
            found[-1] = (found[-1][0], block.end)
        else:
            found.append((block.start, block.end))
    return found


def _loud(event: dict[str, Any]) -> dict[str, Any]:
    """Of a line, what the page shows while there is no report yet; every text is cut to a bearable length."""
    where = event.get("where")
    place = where if isinstance(where, dict) else {}
    return {
        "phase": event["phase"],
        "id": _cut(event.get("rule_id") or event.get("type") or ""),
        "severity": _cut(event.get("severity") or "note"),
        "text": _cut(event.get("message") or event.get("status") or ""),
        "do": _cut(event.get("fix") or event.get("recommendation") or ""),
        "file": _cut(place.get("file") or ""),
        "line": place.get("line") if isinstance(place.get("line"), int) else None,
        "step": event.get("step") if isinstance(event.get("step"), int) else None,
        "at": _cut(event.get("ts") or ""),
    }


def _cut(value: object) -> str:
    return str(value)[:2000]
