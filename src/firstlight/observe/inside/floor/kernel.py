"""System calls that Python does not offer, by their numbers and by libc."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """A system call without a function of its own in libc; raises `OSError` where the kernel refuses."""
    return _checked(_libc.syscall(number, *arguments))


def prctl(option: int, *arguments: int) -> int:
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return _checked(_libc.prctl(option, *(ctypes.c_ulong(value) for value in padded)))


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags))


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    encoded = (None if word is None else os.fsencode(word) for word in (source, target, kind))
    _checked(_libc.mount(*encoded, ctypes.c_ulong(flags), None if options is None else os.fsencode(options)))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
