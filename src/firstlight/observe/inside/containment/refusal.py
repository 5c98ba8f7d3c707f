"""Refuses a write that reaches Python's lowest layer unrouted."""

import errno
import os
import posix
import stat
import threading
from collections.abc import Callable
from typing import Any

from firstlight.observe.inside.containment.overlay import WRITING, Overlay

_PATHS = {
    "open": 1, "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.rename": 2, "os.link": 2, "os.truncate": 1,
    "os.chmod": 1, "os.chown": 1, "os.utime": 1, "os.setxattr": 1, "os.removexattr": 1, "sqlite3.connect": 1,
}  # fmt: skip
"""Audit events that change files, and how many of their first arguments are paths."""

_quiet = threading.local()


class Quietly:
    """The audit event of `open` names the user's path though our opener has mapped it."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = getattr(_quiet, "on", False)
        _quiet.on = True

    def __exit__(self, *_problem: object) -> None:
        _quiet.on = self._before


def aloud(opener: Callable[[Any, int], int]) -> Callable[[Any, int], int]:
    """An opener of the user's, whose own calls are looked at again."""

    def opened(path: Any, flags: int) -> int:
        before, _quiet.on = getattr(_quiet, "on", False), False
        try:
            return opener(path, flags)
        finally:
            _quiet.on = before

    return opened


def refuse_unrouted(overlay: Overlay) -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _PATHS:
            return
        if event == "open" and (not (arguments[2] or 0) & WRITING or getattr(_quiet, "on", False)):
            return
        for path in arguments[: _PATHS[event]]:
            if isinstance(path, str | bytes | os.PathLike) and _is_held_file(overlay, os.fsdecode(path)):
                raise OSError(errno.EPERM, f"firstlight held this back ({event} below Python's own functions)", path)

    return hook


def _is_held_file(overlay: Overlay, path: str) -> bool:
    if path in ("", ":memory:") or path.startswith("file:"):
        return False
    place = overlay.paths.locate(path)
    if not overlay.layers.held(place):
        return False
    try:
        mode = posix.stat(place).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
