"""Folders of commands that were killed: the next command collects them, and never one whose owner lives.

Who uses a folder holds a lock on a file in it, which the system lets go of however the owner ends. A folder without
such a file, or of another user, is somebody else's.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

MARK = "in-use"


@contextlib.contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """Until this ends, nobody else collects the folder. The mark appears locked, so that there is no moment before."""
    made = folder / f".{MARK}-{os.getpid()}"
    with made.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        made.rename(folder / MARK)
        try:
            yield
        finally:
            (folder / MARK).unlink(missing_ok=True)


def collect(folders: Iterable[Path], remove: Callable[[Path], None]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError), (folder / MARK).open("r+", encoding="ascii") as file:
            is_ours = folder.lstat().st_uid == os.geteuid() and not folder.is_symlink()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_ours:
                remove(folder)


def remove(folder: Path) -> None:
    """With the work folder of a view in it, which even its owner may not look into."""
    for closed in folder.glob("*/work/work"):
        with contextlib.suppress(OSError):
            closed.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
