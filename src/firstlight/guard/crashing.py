"""An exception that nobody catches ends the program: the guards that are open are told of it first."""

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

Told = Callable[[type[BaseException], BaseException, TracebackType | None], None]
"""A guard's `__exit__`."""

_told: list[Told] = []
_original: list[Any] = []


def listen(told: Told) -> None:
    if not _original:
        _original.append(sys.excepthook)
        sys.excepthook = _hook
    _told.append(told)


def leave(told: Told) -> None:
    """The hook stays below one that was put on later; there it passes everything on."""
    if told in _told:
        _told.remove(told)
    if not _told and sys.excepthook is _hook:
        sys.excepthook = _original.pop()


def _hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    try:
        for told in tuple(_told):
            told(kind, error, trace)
    finally:
        (_original[-1] if _original else sys.__excepthook__)(kind, error, trace)
