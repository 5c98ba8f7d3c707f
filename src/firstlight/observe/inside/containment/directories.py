"""What takes the place of `os.listdir`, `os.scandir`, `os.chdir` and `os.getcwdb`."""

import os
import posix
import stat
from collections.abc import Callable, Iterator
from typing import Any

from firstlight.observe.inside.containment.given import behind, like, naming, text
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.paths import Paths


class Directories:
    """Lists and enters directories that are partly or wholly in the overlay."""

    def __init__(self, overlay: Overlay) -> None:
        self._layers = overlay.layers
        self._paths = overlay.paths

    def listdir(self, path: Any = None) -> list[Any]:
        if self._layers.untouched():
            return posix.listdir(path)
        with naming(path):
            names = self._layers.entries(self._place(path))
        return [os.fsencode(name) for name in names] if isinstance(path, bytes) else names

    def scandir(self, path: Any = None) -> Any:
        if self._layers.untouched():
            return posix.scandir(path)
        with naming(path):
            place = self._place(path)
            names = self._layers.entries(place)
        given = "." if path is None else "" if isinstance(path, int) else os.fspath(path)
        return Listing([Entry(self._paths, f"{place}/{name}", given, like(given, name)) for name in names])

    def chdir(self, path: Any) -> None:
        if isinstance(path, int) or self._layers.untouched():
            posix.chdir(path)
            return
        with naming(path):
            posix.chdir(self._paths.entry(text(self._layers, path)))

    def getcwdb(self) -> bytes:
        return os.fsencode(self._paths.cwd())

    def _place(self, path: Any) -> str:
        if isinstance(path, int):
            return self._layers.place_of(behind(path))
        return self._paths.locate("." if path is None else text(self._layers, path))


class Entry:
    """What `os.DirEntry` is."""

    def __init__(self, paths: Paths, place: str, directory: Any, name: Any) -> None:
        self._paths, self._place = paths, place
        self.name, self.path = name, os.path.join(directory, name)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return posix.stat(self._paths.seen(self._place, follow_symlinks), follow_symlinks=follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_symlink(self) -> bool:
        return self._is(stat.S_ISLNK, False)

    def is_junction(self) -> bool:
        return False

    def inode(self) -> int:
        return self.stat(follow_symlinks=False).st_ino

    def __fspath__(self) -> str | bytes:
        return self.path  # type: ignore[no-any-return]  # as the directory was given

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def _is(self, kind: Callable[[int], bool], follow_symlinks: bool) -> bool:
        try:
            return kind(self.stat(follow_symlinks=follow_symlinks).st_mode)
        except FileNotFoundError:
            return False


class Listing:
    """What `os.scandir` returns: an iterator that can be closed and used in `with`."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[Entry]:
        return self

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> "Listing":
        return self

    def __exit__(self, *_problem: object) -> None:
        self.close()

    def close(self) -> None:
        self._entries = iter(())
