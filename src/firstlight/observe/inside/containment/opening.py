"""What takes the place of `open`, `os.open` and `io.FileIO`."""

import _io
import abc
import posix
from typing import Any

from firstlight.observe.inside.containment.given import naming, text
from firstlight.observe.inside.containment.overlay import WRITING, Overlay
from firstlight.observe.inside.containment.refusal import Quietly, aloud

_CHANGING_MODES = frozenset("wax+")
_POSITION_OF_OPENER = 6


class Opening:
    """Opens files for one overlay."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay

    def descriptor(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not flags & WRITING and self._overlay.layers.untouched():
            return posix.open(path, flags, mode, dir_fd=dir_fd)
        with naming(path):
            return posix.open(self._overlay.opened(text(self._overlay.layers, path, dir_fd), flags), flags, mode)

    def file(self, file: Any, *args: Any, **options: Any) -> Any:
        mode = args[0] if args else options.get("mode", "r")
        if isinstance(mode, str) and not _CHANGING_MODES & set(mode) and self._overlay.layers.untouched():
            return _io.open(file, *args, **options)
        theirs = args[_POSITION_OF_OPENER] if len(args) > _POSITION_OF_OPENER else options.pop("opener", None)
        if not isinstance(file, int):
            # Given an opener, the file object keeps the name the user gave.
            options["opener"] = self.opener if theirs is None else aloud(theirs)
            args = args[:_POSITION_OF_OPENER]
        with Quietly():
            return _io.open(file, *args, **options)

    def opener(self, path: str | bytes, flags: int) -> int:
        return self.descriptor(path, flags, 0o666)


def file_io(opening: Opening) -> type:
    class AnyFileIO(abc.ABCMeta):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, _io.FileIO)

    class FileIO(_io.FileIO, metaclass=AnyFileIO):
        def __init__(self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None) -> None:
            if not isinstance(file, int):
                opener = opening.opener if opener is None else aloud(opener)
            with Quietly():
                super().__init__(file, mode, closefd, opener)

    return FileIO
