"""How the user's own files are brought into the overlay before they are changed there."""

import _io
import errno
import os
import posix
import shutil
import stat
import threading

from firstlight.observe.inside.containment.layers import Layers, is_directory, join
from firstlight.observe.inside.containment.rules import found


class Copies:
    """Each copy is made aside and appears whole."""

    def __init__(self, layers: Layers, parts: str) -> None:
        self._layers = layers
        self._parts = parts

    def mirror(self, directory: str) -> None:
        self._layers.removals.start()
        kept = self._layers.kept(directory)
        if not directory or is_directory(kept):
            return
        self.mirror(directory.rpartition("/")[0])
        mode = stat.S_IMODE(posix.stat(self._layers.physical(directory)).st_mode)
        try:
            posix.mkdir(kept)
            posix.chmod(kept, mode | stat.S_IRWXU)
        except FileExistsError:
            return  # another process was faster

    def make(self, place: str, there: os.stat_result, with_content: bool = True) -> None:
        """Of a file, a link or a directory (without its entries), unless there is one."""
        if self._layers.physical(place) != place:
            return
        if stat.S_ISDIR(there.st_mode):
            self.mirror(place)
            return
        self.mirror(place.rpartition("/")[0])
        part = f"{self._parts}/{posix.getpid()}-{threading.get_ident()}"
        if stat.S_ISLNK(there.st_mode):
            posix.symlink(posix.readlink(place), part)
        else:
            _copy_file(place if with_content else "/dev/null", part)
            posix.chmod(part, stat.S_IMODE(there.st_mode))
            posix.utime(part, ns=(there.st_atime_ns, there.st_mtime_ns))
        posix.rename(part, self._layers.kept(place))

    def whole(self, place: str, *paths: str) -> str:
        """The physical path of a copy, with all that is beneath, that may be moved or linked to."""
        if not self._layers.held(place):
            return place
        there = found(self._layers, place, *paths)
        self.make(place, there)
        if stat.S_ISDIR(there.st_mode):
            for name in self._layers.entries(place):
                self.whole(join(place, name), *paths)
        return self._layers.kept(place)

    def move(self, source: str, target: str) -> None:
        """Also where our own mounts make two of what is one file system to the user."""
        try:
            posix.rename(source, target)
        except OSError as problem:
            there = posix.lstat(source)
            if problem.errno != errno.EXDEV or there.st_dev != posix.stat(target.rpartition("/")[0]).st_dev:
                raise
            if stat.S_ISDIR(there.st_mode):
                shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
                shutil.rmtree(source)
            else:
                part = f"{self._parts}/{posix.getpid()}-{threading.get_ident()}"
                shutil.copy2(source, part, follow_symlinks=False)
                posix.rename(part, target)
                posix.unlink(source)


def _copy_file(source: str, target: str) -> None:
    with _io.open(source, "rb") as reading, _io.open(target, "wb") as writing:
        while block := reading.read(1 << 20):
            writing.write(block)
