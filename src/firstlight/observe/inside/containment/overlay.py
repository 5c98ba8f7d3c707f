"""A copy-on-write view of the file system: what a script writes is kept aside, and the script sees it in place."""

import contextlib
import errno
import os
import posix
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from firstlight.observe.inside import floor
from firstlight.observe.inside.containment.copies import Copies
from firstlight.observe.inside.containment.layers import Layers
from firstlight.observe.inside.containment.paths import Paths
from firstlight.observe.inside.containment.rules import (
    allows,
    directory_of,
    failure,
    found,
    may_change_directory,
    may_open,
    may_remove,
    may_replace,
)
from firstlight.observe.inside.containment.territory import Territory

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
"""A call to `open` with any of these flags can change the file or the directory."""


class Overlay:
    """Changes what the script sees.

    `opened`, `updated` and `created` answer the physical path on which the system call may be made; the others carry
    the operation out.
    """

    def __init__(self, root: Path, passes: tuple[Path, ...], holds: tuple[Path, ...] = ()) -> None:
        real = os.path.realpath(root)
        self.layers = Layers(real, Territory((*passes, Path(real)), holds))
        self.paths = Paths(self.layers)
        self._copies = Copies(self.layers, f"{real}/parts")
        for folder in (self.layers.files, f"{real}/parts"):
            os.makedirs(folder, exist_ok=True)
        self.after_fork()

    def branch(self, root: Path) -> None:
        """Go on apart from every other process that shares the old root, with what was written so far."""
        shutil.copytree(os.path.dirname(self.layers.files), root, symlinks=True)
        real = os.path.realpath(root)
        self.layers.move(real)
        self._copies = Copies(self.layers, f"{real}/parts")

    def take_over(self, folder: Path, most_bytes: int) -> None:
        """Go on with a copy of a folder that was passed until now, where it is no larger; else with the folder itself,
        and with copies of what is changed in it."""
        place = os.path.realpath(folder)
        if self.layers.held(place):
            return
        if _size_of(place) <= most_bytes:
            self._copies.mirror(place)
            with contextlib.suppress(shutil.Error):  # sockets and pipes stay where they are
                shutil.copytree(place, self.layers.kept(place), symlinks=True, dirs_exist_ok=True)
            self.layers.removals.add(place)
        self.layers.hold(place)
        self.paths.forget()

    def after_fork(self) -> None:
        """Another thread of the parent may have held the lock."""
        self._lock = threading.RLock()

    def opened(self, path: str, flags: int) -> str:
        is_exclusive = flags & os.O_CREAT and flags & os.O_EXCL
        follow = not (is_exclusive or flags & os.O_NOFOLLOW)
        if not path or not flags & WRITING:
            return self.paths.seen(path, follow)
        with self._lock:
            place = self.paths.locate(path, follow)
            if not self.layers.held(place):
                return place + ("/" if path.endswith("/") else "")
            return self._writable(place, path, flags)

    def updated(self, path: str, follow: bool = True) -> str:
        """For a change of something that must exist."""
        with self._lock:
            place = self.paths.locate(path, follow)
            if not self.layers.held(place):
                return place
            self._copies.make(place, found(self.layers, place, path))
            return self.layers.kept(place)

    def created(self, path: str) -> str:
        """For something that must not exist yet."""
        with self._lock:
            place = self.paths.locate(path, follow=False)
            if self.layers.held(place) and self.layers.lstat(place) is not None:
                raise failure(errno.EEXIST, path)
            return self._prepared(place, path)

    def remove(self, path: str) -> None:
        self._take_away(path, posix.unlink, is_directory=False)

    def rmdir(self, path: str) -> None:
        self._take_away(path, posix.rmdir, is_directory=True)

    def rename(self, source: str, target: str) -> None:
        with self._lock:
            old, new = self.paths.locate(source, follow=False), self.paths.locate(target, follow=False)
            there = found(self.layers, old, source, target)
            if old == new:
                return
            if f"{new}/".startswith(f"{old}/"):
                raise failure(errno.EINVAL, source, target)
            may_replace(self.layers, new, there, source, target)
            if self.layers.held(old):
                may_change_directory(self.layers, old, source, target)
            self._copies.move(self._copies.whole(old, source, target), self._prepared(new, source, target))
            self._hide(old)
            if stat.S_ISDIR(there.st_mode):
                self._hide(new)
            self.paths.forget()

    def link(self, source: str, target: str) -> None:
        with self._lock:
            old, new = self.paths.locate(source, follow=False), self.paths.locate(target, follow=False)
            if stat.S_ISDIR(found(self.layers, old, source, target).st_mode):
                raise failure(errno.EPERM, source, target)
            if self.layers.lstat(new) is not None:
                raise failure(errno.EEXIST, source, target)
            posix.link(self._copies.whole(old, source, target), self._prepared(new, source, target))

    def _writable(self, place: str, path: str, flags: int) -> str:
        there = self.layers.lstat(place)
        if there is None:
            directory_of(self.layers, place, path)
        may_open(there, path, flags)
        if there is None:
            return self._prepared(place, path)
        physical = self.layers.physical(place)
        if not allows(physical, os.W_OK):
            raise failure(errno.EACCES, path)
        if not (stat.S_ISREG(there.st_mode) or stat.S_ISDIR(there.st_mode)):
            return physical  # a pipe or a device is not a file of the user's
        self._copies.make(place, there, with_content=not flags & os.O_TRUNC)
        return self.layers.kept(place)

    def _prepared(self, place: str, *paths: str) -> str:
        """Where `place` can now be created, if the user may create it in the view."""
        if not self.layers.held(place):
            return place
        may_change_directory(self.layers, place, *paths)
        self._copies.mirror(place.rpartition("/")[0])
        self.paths.forget()
        return self.layers.kept(place)

    def _take_away(self, path: str, call: Callable[[str], None], is_directory: bool) -> None:
        with self._lock:
            place = self.paths.locate(path, follow=False)
            is_held = self.layers.held(place)
            if is_held:
                may_remove(self.layers, place, path, is_directory)
            physical = self.layers.physical(place)
            if not is_held or physical != place:
                call(physical)
            self._hide(place)
            self.paths.forget()

    def _hide(self, place: str) -> None:
        if self.layers.held(place) and not self.layers.removals.hides(place) and _exists(place):
            self.layers.removals.add(place)


def held_back(overlay: Overlay) -> list[str]:
    """The user's paths of all files that were written and kept aside, by us or by the kernel's view, sorted."""
    ours = set(map(overlay.layers.place_of, _files_below(overlay.layers.files)))
    under = floor.found(Path(os.path.dirname(overlay.layers.files)))
    below = _files_below(under.changes) if under is not None and under.view else ()
    return sorted(ours.union(f"{under.project}{path[len(under.changes) :]}" for path in below if under is not None))


def _files_below(folder: str) -> Iterator[str]:
    for name in posix.listdir(folder):
        path = f"{folder}/{name}"
        mode = posix.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            yield from _files_below(path)
        elif not stat.S_ISCHR(mode):  # by which a view says that a file was removed
            yield path


def _size_of(folder: str) -> int:
    return sum(posix.lstat(path).st_size for path in _files_below(folder))


def _exists(path: str) -> bool:
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True
