"""What the script removed."""

import _io
import json
import posix


class Removals:
    """The places that were removed, shared with other processes through an append-only file."""

    def __init__(self, journal: str) -> None:
        self._journal = journal
        self._read = 0
        self._here = False
        self.places: set[str] = set()

    def started(self) -> bool:
        """Whether any process has changed anything yet; takes in what others have removed since."""
        try:
            size = posix.stat(self._journal).st_size
        except FileNotFoundError:
            return False
        if size > self._read:
            self._take_in()
        return True

    def start(self) -> None:
        if not self._here:
            self._append(b"")
            self._here = True

    def add(self, place: str) -> None:
        self._append(json.dumps(place).encode() + b"\n")
        self._take_in()

    def hides(self, place: str) -> bool:
        if not self.places:
            return False
        while place:
            if place in self.places:
                return True
            place = place.rpartition("/")[0]
        return False

    def _append(self, line: bytes) -> None:
        with _io.open(self._journal, "ab", buffering=0) as file:
            file.write(line)

    def _take_in(self) -> None:
        with _io.open(self._journal, "rb") as file:
            file.seek(self._read)
            lines = file.read().splitlines()
            end = file.tell()
        self.places.update(map(json.loads, lines))
        self._read = max(self._read, end)
