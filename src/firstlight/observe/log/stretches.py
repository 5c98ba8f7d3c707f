"""A file, in stretches of whole lines that never take more memory than a few mebibytes."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from firstlight.errors import UsageError

STRETCH = 1 << 20
LONGEST_LINE = 8 << 20
"""A longer line is no event and is passed over unread."""
STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""As a shell names the output of another command."""
_GZIP = b"\x1f\x8b"
_OTHER = {b"PK\x03\x04": "a zip archive", b"(\xb5/\xfd": "compressed with zstd", b"BZh": "compressed with bzip2"}


@dataclass(frozen=True, slots=True)
class Stretch:
    line: int
    """Number of its first line, from 1."""
    data: bytes
    lines: int = 1
    offset: int = 0
    """Of its first byte, where `data` is read whole from a file."""
    complete: bool = True
    """It ends with a newline; only the end of a file may not."""
    too_long: bool = False
    """Its one line is longer than an event may be, and was left out."""


def opened(path: Path) -> BinaryIO:
    """The file, once it looks like a log; `-` is standard input."""
    if str(path) == "-":
        return os.fdopen(os.dup(0), "rb")
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            inside = path / "events.ndjson"
            hint = f"; the log of a run is {inside}" if inside.exists() else ""
            raise UsageError(f"{path} is a directory, not a log{hint}")
        if not stat.S_ISREG(mode) and not str(path.absolute()).startswith(STREAMS):
            raise UsageError(f"{path} is no file. A stream is read by `firstlight log validate -`.")
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    start = file.read(512) if stat.S_ISREG(mode) else b""
    if (what := _not_text(start)) is not None:
        file.close()
        hint = f": `zcat {path} | firstlight log validate -` reads it" if start.startswith(_GZIP) else ""
        raise UsageError(f"{path} is {what}, not lines of JSON{hint}")
    if start:
        file.seek(0)
    return file


def _not_text(start: bytes) -> str | None:
    if start.startswith(_GZIP):
        return "compressed with gzip"
    known = next((what for magic, what in _OTHER.items() if start.startswith(magic)), None)
    return known or ("binary" if b"\0" in start else None)


def stretches(file: BinaryIO) -> Iterator[Stretch]:
    line, offset, rest = 1, 0, b""
    while block := file.read(STRETCH):
        whole, newline, after = block.rpartition(b"\n")
        if not newline:
            rest += block
            if len(rest) > LONGEST_LINE:
                yield Stretch(line, b"", too_long=True)
                skipped, after = _skip_line(file)
                line, offset, rest = line + 1, offset + len(rest) + skipped, after
            continue
        data = rest + whole + newline
        count = data.count(b"\n")
        yield Stretch(line, data, count, offset)
        line, offset, rest = line + count, offset + len(data), after
    whole, newline, rest = rest.rpartition(b"\n")
    if newline:
        count = whole.count(b"\n") + 1
        yield Stretch(line, whole + newline, count, offset)
        line, offset = line + count, offset + len(whole) + 1
    if rest:
        yield Stretch(line, rest, offset=offset, complete=False)


def _skip_line(file: BinaryIO) -> tuple[int, bytes]:
    """Reads up to the next newline; how much that was, and what was read behind it."""
    skipped = 0
    while block := file.read(STRETCH):
        passed, newline, after = block.partition(b"\n")
        skipped += len(passed) + len(newline)
        if newline:
            return skipped, after
    return skipped, b""
