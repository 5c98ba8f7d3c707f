"""The event log: append-only, one JSON object a line, readable after any crash.

A line is written with one `write` on a descriptor opened for appending, so several processes share one file without
mixing their lines, and a kill loses at most the line under way. A torn last line is reported, not an error.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import LogError
from firstlight.records import wire
from firstlight.records.events import Event, _Event

MOST_LINE_BYTES = 64 * 1024
_open, _write, _close = os.open, os.write, os.close  # ours even when a contained script has these replaced


class EventLog:
    def __init__(self, path: Path, run_id: str, rank: int | None = None) -> None:
        self.path, self.run_id, self.rank = path, run_id, rank
        self.timeline: str | None = None
        self._seq = 0
        self._start = time.monotonic()
        try:
            self._fd = _open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise LogError(f"cannot write the event log {path}: {error.strerror or error}") from None

    def append(self, kind: type[_Event], /, **fields: Any) -> int:
        """Bytes written."""
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
        _write(self._fd, line)
        self._seq += 1
        return len(line)

    def close(self) -> None:
        _close(self._fd)


class LineReader:
    """Reads complete lines as they appear; what follows the last newline waits, and is called torn at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0
        self._number = 0
        self.torn = b""
        self.broken: list[str] = []

    def new(self) -> Iterator[dict[str, Any]]:
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        whole, newline, self.torn = data.rpartition(b"\n")
        self._offset += len(whole) + len(newline)
        for line in whole.split(b"\n") if newline else ():
            self._number += 1
            if (event := self._parse(line)) is not None:
                yield event

    def _parse(self, line: bytes) -> dict[str, Any] | None:
        try:
            event = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            self.broken.append(f"{self.path}:{self._number}: {error}")
            return None
        if not isinstance(event, dict):
            self.broken.append(f"{self.path}:{self._number}: not a JSON object")
            return None
        phase = event.get("phase", event.get("event"))
        return {**event, "phase": phase, "event": phase}


def typed(event: dict[str, Any]) -> Event | None:
    """The event as a record, or None where this version does not know it or it lacks a field."""
    try:
        return wire.convert(event, Event)  # type: ignore[arg-type]  # a union is a type to msgspec
    except msgspec.ValidationError:
        return None
