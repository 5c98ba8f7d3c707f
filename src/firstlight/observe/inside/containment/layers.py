"""The user's own files, and over them those kept aside.

Under `root`: `files/<absolute path>` holds what was written, `removed` one line per path that was removed (a removed
directory hides everything the user has beneath it), `parts` copies that are not complete yet. All of it is on disk, so
every process that opens the same root sees the same view. Three words are used throughout:

- a *place* is an absolute path of the user, free of symbolic links and `..`;
- *kept* is where there is, or would be, our own copy of a place;
- *physical* is the file that now stands for a place: the kept copy, or the user's own.

Here and wherever a place is looked at, only the functions of `posix` and `_io` are used: those of `os` and `io` are the
ones being replaced.
"""

import os
import posix
import stat

from firstlight.observe.inside.containment.removals import Removals
from firstlight.observe.inside.containment.territory import Territory

_ABSENT = (FileNotFoundError, NotADirectoryError)


class Layers:
    """What is where, for one place at a time."""

    def __init__(self, root: str, territory: Territory) -> None:
        self.files = f"{root}/files"
        self.held, self.hold = territory.held, territory.hold
        self.removals = Removals(f"{root}/removed")

    def move(self, root: str) -> None:
        self.files = f"{root}/files"
        self.removals = Removals(f"{root}/removed")

    def untouched(self) -> bool:
        """Nothing has been changed by any process yet: everything can be read as it is."""
        return not self.removals.started()

    def kept(self, place: str) -> str:
        return self.files + place

    def place_of(self, physical: str) -> str:
        is_kept = f"{physical}/".startswith(f"{self.files}/")
        return physical[len(self.files) :] or "/" if is_kept else physical

    def physical(self, place: str) -> str:
        if not self.held(place):
            return place
        kept = self.kept(place)
        try:
            posix.lstat(kept)
        except FileNotFoundError:
            return kept if self.removals.hides(place) else place
        except NotADirectoryError:
            return kept
        except OSError:
            return place
        return kept

    def lstat(self, place: str) -> os.stat_result | None:
        try:
            return posix.lstat(self.physical(place))
        except _ABSENT:
            return None

    def link(self, place: str) -> str | None:
        """Where the symbolic link at `place` points."""
        for path in (self.kept(place), place):
            try:
                return posix.readlink(path)
            except FileNotFoundError:
                if self.removals.hides(place):
                    return None
            except OSError:
                return None
        return None

    def entries(self, place: str) -> list[str]:
        """The names in a directory."""
        self.removals.started()
        physical = self.physical(place)
        names = posix.listdir(physical)
        if physical == place:
            return self._unremoved(place, names)
        own = [] if self.removals.hides(place) else self._unremoved(place, _names(place))
        return [*own, *set(names).difference(own)]

    def _unremoved(self, place: str, names: list[str]) -> list[str]:
        removed = self.removals.places
        return [name for name in names if join(place, name) not in removed] if removed else names


def join(place: str, name: str) -> str:
    return f"{place.rstrip('/')}/{name}"


def is_directory(path: str) -> bool:
    try:
        return stat.S_ISDIR(posix.stat(path).st_mode)
    except OSError:
        return False


def _names(path: str) -> list[str]:
    try:
        return posix.listdir(path)
    except _ABSENT:
        return []
