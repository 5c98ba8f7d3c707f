"""Files that somebody else may have put there: read only where they are plain files of a bearable size.

A pipe would be waited for, a device has no end, a link leads elsewhere. Nothing is looked at first and opened later:
what was opened is what is asked.
"""

import os
import stat
from pathlib import Path
from typing import IO

from firstlight.errors import UnreadableError

KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def opened(path: Path, *, follow: bool = False) -> IO[bytes]:
    """For reading. Links are followed only where the user named the file. Raises UnreadableError with the reason."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path} {_why(path, error)}") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = next((name for is_kind, name in KINDS if is_kind(mode)), "something else")
        raise UnreadableError(f"{path} is {kind}, not a file")
    return os.fdopen(descriptor, "rb")


def contents(path: Path, most_bytes: int, *, follow: bool = False) -> bytes:
    with opened(path, follow=follow) as file:
        try:
            found = file.read(most_bytes + 1)
        except OSError as error:
            raise UnreadableError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(found) > most_bytes:
        raise UnreadableError(f"{path} has more than the {most_bytes} bytes such a file may have")
    return found


def create(path: Path, data: bytes, mode: int = 0o644) -> None:
    """A new file. Raises OSError where anything of that name is there already, a link included."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def replace(path: Path, data: bytes, mode: int = 0o644) -> None:
    """All of it or nothing, in place of whatever has that name: a link is replaced, not followed."""
    partial = path.with_name(f"{path.name}.firstlight-partial")
    partial.unlink(missing_ok=True)
    create(partial, data)
    partial.chmod(mode)
    partial.replace(path)


def _why(path: Path, error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return "is no name of a file"
    if path.is_symlink():
        return "is a link, and links are not followed here" if path.exists() else "is a link that leads nowhere"
    return f"cannot be read: {error.strerror or error}"
