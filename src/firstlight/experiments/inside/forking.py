"""Forks on purpose."""

import os
import signal
import threading
import warnings
from collections.abc import Callable
from types import FrameType


def fork(known: Callable[[int], object] = lambda pid: None) -> int:
    """As `os.fork`, with `known` told of the copy in the original before an interrupt (Ctrl-C) can come between.

    Without that, what Python runs around a fork would swallow the interrupt, and a copy that nobody knows of yet would
    live on. The copy itself never sees it. Python 3.12 warns of threads, and `-W error` would turn that against the
    program.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        return _fork(known)
    held: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: held.append(frame))
    try:
        pid = _fork(known)
    finally:
        signal.signal(signal.SIGINT, handler)
    if pid and held:
        handler(signal.SIGINT, held[0])
    return pid


def _fork(known: Callable[[int], object]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        known(pid)
    return pid
