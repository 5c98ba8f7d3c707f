"""When the kernel would refuse an operation, and with which error."""

import errno
import os
import posix
import stat

from firstlight.observe.inside.containment.layers import Layers, is_directory


def failure(code: int, *paths: str) -> OSError:
    """The error Python itself would raise for `code`, naming the user's path."""
    return OSError(code, os.strerror(code), paths[0], None, *paths[1:])


def found(layers: Layers, place: str, *paths: str) -> os.stat_result:
    """What is at `place`, where something must be."""
    there = layers.lstat(place)
    if there is None:
        directory_of(layers, place, *paths)
        raise failure(errno.ENOENT, *paths)
    return there


def directory_of(layers: Layers, place: str, *paths: str) -> str:
    parent = place.rpartition("/")[0] or "/"
    try:
        there = posix.stat(layers.physical(parent))
    except OSError as problem:
        raise failure(problem.errno or errno.ENOENT, *paths) from None
    if not stat.S_ISDIR(there.st_mode):
        raise failure(errno.ENOTDIR, *paths)
    return parent


def may_change_directory(layers: Layers, place: str, *paths: str) -> None:
    parent = directory_of(layers, place, *paths)
    is_own = not layers.removals.hides(parent) and is_directory(parent)
    if is_own and not allows(parent, os.W_OK | os.X_OK):
        raise failure(errno.EACCES, *paths)


def allows(place: str, wanted: int) -> bool:
    """Whether the user may do this there. Our own view of the file system makes all but the project read-only, and of
    that the user knows nothing: there the place itself says who may write to it."""
    if posix.access(place, wanted):
        return True
    return bool(posix.statvfs(place).f_flag & os.ST_RDONLY) and _permits(posix.stat(place), wanted)


def _permits(there: os.stat_result, wanted: int) -> bool:
    if os.geteuid() == 0:
        return True
    own, shared = there.st_uid == os.geteuid(), there.st_gid in (os.getegid(), *os.getgroups())
    return (there.st_mode >> (6 if own else 3 if shared else 0)) & wanted == wanted


def may_open(there: os.stat_result | None, path: str, flags: int) -> None:
    if code := _why_not_opened(there.st_mode if there else None, path, flags):
        raise failure(code, path)


def may_remove(layers: Layers, place: str, path: str, as_directory: bool) -> None:
    if stat.S_ISDIR(found(layers, place, path).st_mode) != as_directory:
        raise failure(errno.ENOTDIR if as_directory else errno.EISDIR, path)
    if as_directory and layers.entries(place):
        raise failure(errno.ENOTEMPTY, path)
    may_change_directory(layers, place, path)


def may_replace(layers: Layers, place: str, by: os.stat_result, *paths: str) -> None:
    directory_of(layers, place, *paths)
    there = layers.lstat(place)
    if there is None:
        return
    was, becomes = stat.S_ISDIR(there.st_mode), stat.S_ISDIR(by.st_mode)
    if was != becomes:
        raise failure(errno.EISDIR if was else errno.ENOTDIR, *paths)
    if was and layers.entries(place):
        raise failure(errno.ENOTEMPTY, *paths)


def _why_not_opened(mode: int | None, path: str, flags: int) -> int:
    if flags & os.O_CREAT and path.endswith("/"):
        return errno.EISDIR
    if mode is None:
        return 0 if flags & os.O_CREAT else errno.ENOENT
    if flags & os.O_CREAT and flags & os.O_EXCL:
        return errno.EEXIST
    if stat.S_ISLNK(mode):
        return errno.ELOOP
    makes_nameless = flags & getattr(os, "O_TMPFILE", 0) & ~os.O_DIRECTORY
    if stat.S_ISDIR(mode):
        return 0 if makes_nameless else errno.EISDIR
    return errno.ENOTDIR if makes_nameless or path.endswith("/") else 0
