"""What was found out so far, so that a command that was interrupted goes on where it stood.

One file for each command line, source and choice of options. It is gone once the command has its answer.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from firstlight.records import wire
from firstlight.store import plain_files
from firstlight.store.event_log import LineReader
from firstlight.store.run_directory import FOLDER

T = TypeVar("T")
MOST_FILES = 200
MOST_BYTES = 4 << 20


class LabJournal:
    """Trials by name. Every line is whole or not there, however the command ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        reader = LineReader(path)
        self._kept: dict[str, Any] = {
            line["trial"]: line["made"] for line in reader.new() if "trial" in line and "made" in line
        }
        self._torn = bool(reader.torn)

    @classmethod
    def of(
        cls, verb: str, words: tuple[str, ...], options: Mapping[str, Any], folder: Path | None = None
    ) -> "LabJournal":
        """`folder` holds the sources; a change in any of them begins a new journal."""
        told = msgspec.json.encode([verb, words, dict(options), os.fspath(Path.cwd())], order="sorted")
        digest = hashlib.blake2b(told + _sources(folder), digest_size=8).hexdigest()
        return cls(Path.cwd() / FOLDER / "lab" / f"{verb}-{digest}.ndjson")

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, trial: str, kind: type[T]) -> T | None:
        """What a trial of an earlier call made; None where it is not known, or not readable any more."""
        if trial not in self._kept:
            return None
        try:
            return wire.convert(self._kept[trial], kind)
        except msgspec.ValidationError:
            return None

    def keep(self, trial: str, made: Any) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        plain = wire.to_plain(made)
        with self.path.open("ab") as file:
            file.write((b"\n" if self._torn else b"") + msgspec.json.encode({"trial": trial, "made": plain}) + b"\n")
        self._torn = False
        self._kept[trial] = plain

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)
        self._kept = {}


def _sources(folder: Path | None) -> bytes:
    """A digest of the Python files beside a script."""
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.glob("*.py"))[:MOST_FILES] if folder is not None else ():
        if path.is_file() and path.stat().st_size <= MOST_BYTES:
            found.update(path.name.encode() + plain_files.contents(path, MOST_BYTES, follow=True))
    return found.digest()
