"""Paths as they are given to Python's functions: text, bytes, path-like, or relative to a descriptor."""

import errno
import os
import posix
import sys
from typing import Any

from firstlight.observe.inside.containment.layers import Layers


def text(layers: Layers, path: Any, dir_fd: int | None = None) -> str:
    plain = os.fsdecode(path)
    if not plain:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), plain)
    if dir_fd is None or plain.startswith("/"):
        return plain
    return f"{layers.place_of(behind(dir_fd))}/{plain}"


def behind(descriptor: int) -> str:
    """The physical path of an open file or directory."""
    if sys.platform == "darwin":
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    return posix.readlink(f"/proc/self/fd/{descriptor}")


def like(given: Any, path: str) -> Any:
    return os.fsencode(path) if isinstance(_spelled(given), bytes) else path


class naming:  # noqa: N801 (reads as a statement: `with naming(path)`)
    """Errors name what the user gave, not where it is kept; a fault of ours becomes an `OSError` that names it."""

    __slots__ = ("_given",)

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            error.filename = _spelled(self._given[0])
            if error.filename2 is not None:
                error.filename2 = _spelled(self._given[-1])
        elif isinstance(error, Exception) and not isinstance(error, TypeError | ValueError):
            raise OSError(errno.EIO, "firstlight could not hold this back", _spelled(self._given[0])) from error


def _spelled(given: Any) -> Any:
    return os.fspath(given) if isinstance(given, os.PathLike) else given
