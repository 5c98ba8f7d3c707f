"""From a path as the user gave it to a place, and to the file that may be read for it."""

import errno
import posix

from firstlight.observe.inside.containment.layers import Layers, is_directory
from firstlight.observe.inside.containment.rules import failure
from firstlight.observe.inside.containment.territory import KERNEL

_LINKS_AT_MOST = 40


class Paths:
    """Follows symbolic links through both layers."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._plain: set[str] = set()
        """Parent directories known to be free of symbolic links; forgotten when the tree changes."""

    def forget(self) -> None:
        self._plain.clear()

    def cwd(self) -> str:
        return self._layers.place_of(posix.getcwd())

    def locate(self, path: str, follow: bool = True) -> str:
        """The place `path` names; its last part is followed only with `follow` or a trailing slash."""
        if path.startswith(KERNEL):
            return self._through(path, follow)
        if not path.startswith("/"):
            path = f"{self.cwd()}/{path}"
        head, _, name = path.rpartition("/")
        if name in ("", ".", "..") or head not in self._plain:
            return self._walk(path, follow)
        return self._walk(name, follow, head)

    def _through(self, path: str, follow: bool) -> str:
        """`/proc/self/fd/3`, `/dev/fd/3` and `/proc/self/cwd/x` are other names of the user's files."""
        place = self._walk(path, follow)
        if place.startswith(KERNEL):
            return path
        try:
            return place if posix.stat(path).st_nlink else path  # what has no name any more cannot be found by it
        except OSError:
            return place

    def seen(self, path: str, follow: bool = True) -> str:
        """The physical path to read `path` from."""
        if not path or self._layers.untouched():
            return path
        return self._layers.physical(self.locate(path, follow)) + ("/" if path.endswith("/") else "")

    def entry(self, path: str) -> str:
        """Where to change to for `path`: the user's own directory if it is visible, so that native readers work."""
        place = self.locate(path)
        if not self._layers.removals.hides(place) and is_directory(place):
            return place
        return self._layers.physical(place)

    def _walk(self, path: str, follow: bool, done: str = "") -> str:
        parts = path.split("/")[::-1]
        links = 0
        plain = True
        while parts:
            part = parts.pop()
            if part == "..":
                if done and not self._is_directory(done):
                    raise failure(errno.ENOENT, path)
                done, plain = done.rpartition("/")[0], False
            if part in ("", ".", ".."):
                continue
            step = f"{done}/{part}"
            target = self._layers.link(step) if parts or follow else None
            if target is None:
                if plain and not parts and done not in self._plain and self._is_directory(done):
                    self._plain.add(done)
                done = step
                continue
            links, plain = links + 1, False
            if links > _LINKS_AT_MOST:
                raise failure(errno.ELOOP, path)
            done = "" if target.startswith("/") else done
            parts.extend(target.split("/")[::-1])
        return done or "/"

    def _is_directory(self, place: str) -> bool:
        return is_directory(self._layers.physical(place))
