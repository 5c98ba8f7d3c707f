"""Which line of the user's code is running: the innermost frame outside torch, installed packages and firstlight."""

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from firstlight.records.places import Site

_OWN = str(Path(__file__).resolve().parents[2]) + os.sep
_STDLIB = tuple(
    os.path.realpath(path) + os.sep for key in ("stdlib", "platstdlib") if (path := sysconfig.get_paths().get(key))
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_START = os.getcwd()

_claimed: list[str] = []
_known: dict[str, str | None] = {}
_bounds: list[tuple[FrameType | None, Site | None]] = [(None, None)]


def claim(folder: Path) -> None:
    """Files below `folder` are the user's, even inside an installed package (`check -m package.module`)."""
    _claimed.append(str(folder.resolve()) + os.sep)
    _known.clear()


def look_within(outermost: FrameType, instead: Site | None) -> None:
    """From now on no frame outside of it is asked: those of a program that has something judged do not train it."""
    _bounds[:] = [(outermost, instead)]


def caller(depth: int = 1, beyond: str = "") -> Site | None:
    """The user's line on the current stack, or None where there is none; of functions of one name, who calls them."""
    frame: FrameType | None = sys._getframe(depth)
    ((outermost, instead),) = _bounds
    while frame is not None:
        if frame is outermost:
            return instead
        code = frame.f_code
        name = code.co_filename
        shown = _known[name] if name in _known else _judge(name)
        if shown is not None and code.co_name != beyond:
            return Site(file=shown, line=frame.f_lineno, function=code.co_name)
        frame = frame.f_back
    return None


def is_stand_in(site: Site | None) -> bool:
    """It was given for calls that are not the user's own, so a line nearer to the matter is better."""
    ((_, instead),) = _bounds
    return site is not None and site is instead


def is_users(filename: str) -> bool:
    return (_known[filename] if filename in _known else _judge(filename)) is not None


def _judge(filename: str) -> str | None:
    """How the file is named to the user, or None if it is not theirs."""
    _known[filename] = shown = _shown(filename) if _is_theirs(filename) else None
    return shown


def _is_theirs(filename: str) -> bool:
    if filename.startswith("<"):
        return False
    path = _real(os.path.join(_START, filename))
    if any(path.startswith(folder) for folder in _claimed):
        return True
    if path.startswith(_OWN) or any(part in path for part in _INSTALLED):
        return False
    if path.startswith(_STDLIB) or _is_installed(path):
        return False
    torch = sys.modules.get("torch")
    home = os.path.dirname(getattr(torch, "__file__", None) or "")
    return not (home and path.startswith(home + os.sep))


def _real(path: str) -> str:
    """Asked of some thousand files in a few folders."""
    folder, name = os.path.split(path)
    whole = os.path.join(_real_folder(folder), name)
    return os.path.realpath(path) if name in ("", os.curdir, os.pardir) or os.path.islink(whole) else whole


_real_folder = functools.cache(os.path.realpath)


def _is_installed(path: str) -> bool:
    """It lies in a folder for imports that packages were installed into, whatever the folder is called.

    The program's own folder is none: what it was deployed with may lie beside it.
    """
    own = (_START, os.path.dirname(os.path.realpath(sys.argv[0])))
    return any(
        path.startswith(folder + os.sep) and folder not in own and _has_packages(folder)
        for folder in map(_real_folder, filter(None, sys.path))
    )


@functools.cache
def _has_packages(folder: str) -> bool:
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder))
    except OSError:
        return False


def _shown(filename: str) -> str:
    path = os.path.realpath(os.path.join(_START, filename))
    relative = os.path.relpath(path, os.path.realpath(_START))
    return path if relative.startswith("..") else relative


def site_of(filename: str, line: int) -> Site | None:
    shown = _known[filename] if filename in _known else _judge(filename)
    return None if shown is None else Site(file=shown, line=line)


def way() -> Iterator[tuple[str, int]]:
    """The lines of the user's that are running, from the innermost outwards."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            yield frame.f_code.co_filename, frame.f_lineno or 0
        frame = frame.f_back
