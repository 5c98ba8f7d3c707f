"""Landlock: from here on this process, and whatever it starts, may write beneath certain folders only.

Reading and running stay free. It cannot be undone, and needs no privilege. What it does not know: modes, owners, times
and attributes of files. (Linux 5.13; by `man 7 landlock`.)
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator

from firstlight.observe.inside.floor import kernel

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38
LEAST_VERSION = 2
"""The first version forbids every move from one folder to another, our own included."""
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
CHANGES = (WRITE_FILE, *(1 << bit for bit in range(4, 14)))
"""Rights of version 2: to write, to remove and make whatever can lie in a folder, to move from folder to folder."""
TRUNCATES_SINCE = 3


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def version() -> int:
    """What this kernel has; 0 where it has none, or does not let us."""
    try:
        return kernel.call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(ASK_VERSION))
    except (OSError, AttributeError):
        return 0


def restrict(writable: Iterable[str]) -> None:
    """Folders and files of `writable` that exist, devices that are no disks, and what names threads (CUDA does)."""
    rights = sum(CHANGES) | (TRUNCATE if version() >= TRUNCATES_SINCE else 0)
    handled = ctypes.c_uint64(rights)
    ruleset = kernel.call(CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), ctypes.c_uint32(0))
    try:
        for path in (*writable, "/proc", *_devices("/dev")):
            _allow(ruleset, path, rights)
        kernel.prctl(PR_SET_NO_NEW_PRIVS, 1)
        kernel.call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        rule = _PathBeneath(rights if is_folder else rights & (WRITE_FILE | TRUNCATE), descriptor)
        kernel.call(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def _devices(folder: str) -> Iterator[str]:
    """Terminals, GPUs, `/dev/null`; and the folder of shared memory."""
    yield from ("/dev/shm", "/dev/mqueue", "/dev/pts") if folder == "/dev" else ()
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and entry.name not in ("shm", "mqueue", "pts"):
            yield from _devices(entry.path)
        elif stat.S_ISCHR(entry.stat(follow_symlinks=False).st_mode):
            yield entry.path
