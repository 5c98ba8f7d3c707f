"""What was found in a file stays true while the file, every file it led to, and the linter itself stay the same.

One file, written whole and put in place at once. Contents are compared, never times: a checkout keeps the cache.
"""

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from firstlight.errors import UnreadableError
from firstlight.records.finding import Finding
from firstlight.store import plain_files

MOST_BYTES = 1 << 30
ABSENT = ""
"""The digest of a file that is not there: its appearing changes what an import means."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    digest: str
    findings: tuple[Finding, ...] = ()
    allowed: tuple[str, ...] = ()
    rests_on: dict[str, str] = {}
    """Digests of the other files that were looked at, or looked for."""
    notebook: bool = False
    unread: str = ""
    """Why nothing, or not all, of it was judged."""
    judged: bool = True
    """Some of it was."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    stamp: str
    entries: dict[str, Entry] = {}


class LintCache:
    def __init__(self, folder: Path | None, stamp: str) -> None:
        """No folder, no cache."""
        self._path = folder / "lint.msgpack" if folder else None
        self._stamp = stamp
        self._digests: dict[Path, str] = {}
        self._entries = self._read()
        self._fresh: dict[str, Entry] = {}

    def digest(self, path: Path) -> str:
        if path not in self._digests:
            try:
                data = plain_files.contents(path, MOST_BYTES, follow=True)
                self._digests[path] = hashlib.blake2b(data, digest_size=16).hexdigest()
            except UnreadableError:
                self._digests[path] = ABSENT
        return self._digests[path]

    def get(self, path: Path) -> Entry | None:
        entry = self._entries.get(str(path))
        if entry is None or entry.digest != self.digest(path) or entry.digest == ABSENT:
            return None
        if any(self.digest(Path(other)) != digest for other, digest in entry.rests_on.items()):
            return None
        return entry

    def put(self, path: Path, entry: Entry) -> None:
        self._fresh[str(path)] = entry

    def save(self) -> None:
        """Best effort: a cache that cannot be written is only slower the next time."""
        if self._path is None or not self._fresh:
            return
        partial = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                plain_files.create(self._path.parent.parent / ".gitignore", b"*\n")
            book = Book(stamp=self._stamp, entries={**self._entries, **self._fresh})
            plain_files.create(partial, msgspec.msgpack.encode(book))
            partial.replace(self._path)

    def _read(self) -> dict[str, Entry]:
        """A cache of another version, or one that is broken, is no cache."""
        if self._path is None:
            return {}
        with contextlib.suppress(UnreadableError, RecursionError, ValueError):
            book = msgspec.msgpack.decode(plain_files.contents(self._path, MOST_BYTES), type=Book)
            if book.stamp == self._stamp:
                return book.entries
        return {}
