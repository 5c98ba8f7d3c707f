"""How much of a disk we may take: never what the user's own files may need."""

import errno
import os
from pathlib import Path

SHARE_OF_FREE = 0.5
"""Nothing of ours takes more than this of what the disk has left: the rest is for the training's own files."""
RESERVE_BYTES = 64 << 20
"""Of a disk that has no more than this left we take nothing: the training may be about to write a checkpoint."""


def room(folder: Path) -> int:
    """Bytes that may be written below an existing folder now. Raises `OSError` where nobody can tell."""
    found = os.statvfs(folder)
    free = found.f_bavail * found.f_frsize
    return max(0, min(int(free * SHARE_OF_FREE), free - RESERVE_BYTES))


def claim(folder: Path, size: int = 1) -> None:
    """Raises `OSError`, as a full disk would, where so much may not be written."""
    if room(folder) < size:
        raise OSError(errno.ENOSPC, "the disk has too little left for anything but your own files", str(folder))
