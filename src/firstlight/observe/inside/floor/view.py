"""A view of the file system for this process and whatever it starts: the project is a copy, the rest cannot be written.

A mount namespace of our own: over the project lies an overlay, which native code and started programs write to like to
the project itself; folders that may be written are as they were; all else is mounted read-only. It takes the right to
mount, or a user namespace, which many machines grant and many containers do not.
"""

import ctypes
import os
from collections.abc import Iterable, Iterator

from firstlight.observe.inside.floor import kernel

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
MOUNT_SETATTR, AT_FDCWD, READ_ONLY = 442, -100, 1
KERNEL = ("/proc/", "/dev/")
SETTINGS = "/proc/sys"
"""Of the whole machine."""


def enter(project: str, writable: Iterable[str], changes: str) -> None:
    """What is written to the project goes to `changes`/upper. Raises `OSError` where the kernel refuses any of it."""
    if not is_possible(project, tuple(writable), changes):
        raise PermissionError("this machine gives no view of the file system of one's own")
    _enter(project, tuple(writable), changes)


def is_possible(project: str, writable: tuple[str, ...], changes: str) -> bool:
    """Tried in a copy of this process, because half of it cannot be undone."""
    pid = os.fork()
    if pid == 0:
        try:
            _enter(project, writable, changes)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _enter(project: str, writable: tuple[str, ...], changes: str) -> None:
    here = os.getcwd()
    _unshare()
    kernel.mount("none", "/", None, RECURSIVE | PRIVATE)
    kept = [path for path in writable if os.path.isdir(path)]
    inner = [point for point in _mount_points() if point.startswith(f"{project}/")]
    opened = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in sorted({*kept, *inner})}
    _lay_over(project, changes)
    for path, descriptor in opened.items():
        kernel.mount(f"/proc/self/fd/{descriptor}", path, None, BIND | RECURSIVE)
        os.close(descriptor)
    kernel.mount(SETTINGS, SETTINGS, None, BIND | RECURSIVE)
    _make_read_only(SETTINGS)
    below = tuple(f"{path}/" for path in kept)
    for point in set(_mount_points()):
        if point != project and not f"{point}/".startswith((*KERNEL, *below)):
            _make_read_only(point)
    os.chdir(here)


def _unshare() -> None:
    """A user namespace, in which one may mount, only for those who may not mount already; everyone keeps their ids."""
    try:
        kernel.unshare(NEW_MOUNTS)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        kernel.unshare(NEW_USER | NEW_MOUNTS)
        for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(line)


def _lay_over(project: str, changes: str) -> None:
    upper, work = f"{changes}/upper", f"{changes}/work"
    there = os.stat(project)
    for folder in (upper, work):
        os.makedirs(folder, exist_ok=True)
    os.chmod(upper, there.st_mode & 0o7777)
    descriptors = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in (project, upper, work)]
    # By descriptor: a path may hold commas and colons, which divide the options.
    lower, above, beside = (f"/proc/self/fd/{descriptor}" for descriptor in descriptors)
    options = f"lowerdir={lower},upperdir={above},workdir={beside},userxattr"
    kernel.mount("firstlight", project, "overlay", 0, options)
    for descriptor in descriptors:
        os.close(descriptor)


def _make_read_only(point: str) -> None:
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY, 0, 0, 0)
    try:
        kernel.call(
            MOUNT_SETATTR, ctypes.c_int(AT_FDCWD), os.fsencode(point), ctypes.c_uint(0),
            ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes)),
        )  # fmt: skip
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        if os.access(point, os.F_OK):
            raise


def _mount_points() -> Iterator[str]:
    with open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            yield os.fsdecode(line.split()[4].decode("unicode_escape").encode("latin-1"))
