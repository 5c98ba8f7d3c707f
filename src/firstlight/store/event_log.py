"""The event log: append-only, one JSON object a line, readable after any crash.

A line is written with one `write` on a descriptor opened for appending, so several processes share one file without
mixing their lines, and a kill loses at most the line under way. A torn last line is reported, not an error.
"""

import errno
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import LogError, UnreadableError
from firstlight.records import wire
from firstlight.records.events import EVENT, _Event
from firstlight.store import plain_files

MOST_LINE_BYTES = 64 * 1024
PIECE = 1024 * 1024
"""Read at once."""
MOST_TORN = 16 * PIECE
MOST_BROKEN = 1000
"""Lines that are told of."""
_open, _write, _close = os.open, os.write, os.close  # ours even when a contained script has these replaced


class EventLog:
    def __init__(self, path: Path, run_id: str, rank: int | None = None, lazily: bool = False) -> None:
        """`lazily`: nothing is on the disk before the first line is written."""
        self.path, self.run_id, self.rank = path, run_id, rank
        self.timeline: str | None = None
        self._seq = 0
        self._start = time.monotonic()
        self._fd = -1
        self._torn = False
        if not lazily:
            self._begin()

    def _begin(self) -> None:
        try:
            self._fd = _open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise LogError(f"cannot write the event log {self.path}: {error.strerror or error}") from None

    def append(self, kind: type[_Event], /, **fields: Any) -> int:
        """Bytes written."""
        line = self.line(kind, **fields)
        self.write(line)
        return len(line)

    def write(self, lines: bytes) -> None:
        """Whole lines, at once. A disk that takes only a part of them is full; what follows then begins anew."""
        if self._fd < 0:
            self._begin()
        whole = b"\n" + lines if self._torn else lines
        written = _write(self._fd, whole)
        self._torn = written < len(whole)
        if self._torn:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def line(self, kind: type[_Event], /, **fields: Any) -> bytes:
        """As it will be written, with the time it was made at."""
        phase = str(kind.__struct_config__.tag)
        event = kind(
            event=phase,
            ts=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            run_id=self.run_id,
            seq=self._seq,
            rank=self.rank,
            timeline=self.timeline,
            elapsed_s=round(time.monotonic() - self._start, 4),
            **fields,
        )
        line = wire.encode(event) + b"\n"
        if len(line) > MOST_LINE_BYTES:
            raise LogError(f"a {phase} event of {len(line)} bytes is over the {MOST_LINE_BYTES} a line may have")
        self._seq += 1
        return line

    def take_in(self, lines: bytes) -> None:
        """Whole lines of another log; what is torn at its end is left behind."""
        for line in lines.split(b"\n")[:-1]:
            _write(self._fd, line + b"\n")

    def close(self) -> None:
        if self._fd >= 0:
            _close(self._fd)


class LineReader:
    """Reads complete lines as they appear; what follows the last newline waits, and is called torn at the end.

    Never holds more than a piece of the file, however long it is.
    """

    def __init__(self, path: Path, start: int = 0) -> None:
        self.path = path
        self.offset = start
        """Of the first byte of the next line."""
        self._number = 0
        self.torn = b""
        self.broken: list[str] = []

    def new(self, most_bytes: int | None = None) -> Iterator[dict[str, Any]]:
        """Up to the end of the file, or the line with which at least `most_bytes` are read."""
        for line in self.lines(most_bytes):
            if (event := self.parsed(line)) is not None:
                yield event

    def lines(self, most_bytes: int | None = None) -> Iterator[bytes]:
        if not os.path.lexists(self.path):
            return
        start = self.offset
        with plain_files.opened(self.path) as file:
            file.seek(start + len(self.torn))
            while (most_bytes is None or self.offset - start < most_bytes) and (piece := file.read(PIECE)):
                whole, newline, self.torn = (self.torn + piece).rpartition(b"\n")
                for line in whole.split(b"\n") if newline else ():
                    self.offset += len(line) + 1
                    self._number += 1
                    yield line
                if len(self.torn) > MOST_TORN:
                    raise LogError(f"{self.path} has a line of more than {MOST_TORN} bytes: it is no event log")

    def parsed(self, line: bytes) -> dict[str, Any] | None:
        try:
            event = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            self._break(str(error))
            return None
        if not isinstance(event, dict):
            self._break("not a JSON object")
            return None
        phase = event.get("phase", event.get("event"))
        if not isinstance(phase, str | None):
            self._break("its phase is no text")
            return None
        if phase is not None and event.get("phase") == event.get("event"):
            return event
        return {**event, "phase": phase, "event": phase}

    def _break(self, why: str) -> None:
        if len(self.broken) < MOST_BROKEN:
            self.broken.append(f"{self.path}:{self._number}: {why}")


def leave_beside(log: Path, name: str, data: bytes) -> None:
    """A new file beside a log, from within a contained script too."""
    descriptor = _open(log.with_name(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        while data:
            data = data[_write(descriptor, data) :]
    finally:
        _close(descriptor)


def first(path: Path) -> dict[str, Any]:
    """The line a log begins with; empty where it has none yet."""
    try:
        with plain_files.opened(path) as file:
            line = file.readline(MOST_LINE_BYTES)
    except (UnreadableError, OSError):
        return {}
    return LineReader(path).parsed(line) or {} if line.endswith(b"\n") else {}


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Every complete line there is."""
    yield from LineReader(path).new()


def typed(event: dict[str, Any]) -> _Event | None:
    """The event as a record, or None where this version does not know it or it lacks a field."""
    try:
        found: _Event = wire.convert(event, EVENT)
    except (msgspec.ValidationError, RecursionError, ValueError):
        return None
    return found
