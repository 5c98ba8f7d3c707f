"""Reads a Python traceback out of a script's output: the user's line, the message, our own frames removed."""

import builtins
import os
import re
from pathlib import Path

from firstlight.records.places import Site

FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$')
ERROR = re.compile(
    r"^(?P<name>[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Failure)\w*)(?::(?: (?P<text>.*))?)?$"
)
ASSERTION = re.compile(r"Assertion `[^`]{1,200}` failed")
REFUSED = re.compile(
    r"(?:Permission denied|Read-only file system|Operation not permitted)[^'\"/]{0,20}['\"]([^'\"]+)['\"]"
    r"|['\"‘ ]([^'\"‘’ ]+)['\"’]?: (?:Permission denied|Read-only file system|Operation not permitted)"
)
"""As Python says it, and as other programs do."""
RANK = re.compile(r"^(\[rank\d+\]:) ?")
"""What torch puts before every line of a rank's traceback."""
OUTSIDE = (OSError, RuntimeError, EOFError, Warning)
"""What a file that cannot be written to may be told as."""
NOBODY_ANSWERS = "EOFError: EOF when reading a line"
"""What `input` raises where there is no standard input; a file that ends too early says so in other words."""
LAUNCHERS = ("ChildFailedError", "ProcessRaisedException", "ProcessExitedException")
"""Say that another process failed, not why."""
OWN = (
    f"{Path(__file__).resolve().parents[1]}{os.sep}",
    str(Path(__file__).resolve().parents[2] / "_firstlight_entry.py"),
)
NOT_THEIRS = (
    f"{os.sep}site-packages{os.sep}",
    f"{os.sep}dist-packages{os.sep}",
    f"{os.sep}lib{os.sep}python",
    f"{os.sep}bin{os.sep}",
)


def without_ours(lines: list[str]) -> list[str]:
    """Frames in firstlight's own files, with the source lines below them, are left out."""
    kept: list[str] = []
    skipping = False
    for line in lines:
        frame = FRAME.match(line)
        if frame is not None:
            skipping = frame["file"].startswith(OWN) or "<frozen runpy>" in frame["file"]
        elif skipping and not line.startswith("    "):
            skipping = False
        if not skipping:
            kept.append(line)
    return kept


def refused(lines: list[str]) -> str | None:
    """The last path of which it is said that it could not be written to, where this process could write to it.

    A library may say so and go on: an exception after it that no file can cause is the program's own.
    """
    for line in reversed(lines):
        said, raised = REFUSED.search(line), ERROR.match(line.strip())
        if said is None and raised is not None and _of_the_programs_own(raised["name"]):
            return None
        if said is not None:
            path = Path(next(group for group in said.groups() if group))
            there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
            return str(path) if os.access(there, os.W_OK) else None
    return None


def _of_the_programs_own(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, OUTSIDE)


def _of_one_rank(lines: list[str]) -> list[str]:
    """Where ranks crashed, what the last of them says, without its number: their lines and the launcher's are mixed."""
    ranks = [match[1] for line in lines if "Traceback " in line and (match := RANK.match(line)) is not None]
    return [RANK.sub("", line) for line in lines if line.startswith(ranks[-1])] if ranks else lines


def message_of(lines: list[str]) -> str:
    """The last exception named, a launcher's own aside, or the last line that says something.

    What a device asserted is printed apart, before it.
    """
    lines = _of_one_rank(lines)
    for line in reversed(lines):
        match = ERROR.match(line.strip())
        if match is not None and not match["name"].endswith(LAUNCHERS):
            asserted = next((found[0] for line in lines if (found := ASSERTION.search(line)) is not None), None)
            return match[0][:300] + (f": {asserted}" if asserted and "device-side assert" in match[0] else "")
    said = (line.strip() for line in reversed(lines))
    return next((line[:300] for line in said if any(map(str.isalnum, line))), "")


def site_of(lines: list[str], cwd: Path) -> Site | None:
    """The innermost frame of the last traceback that lies in the user's own files."""
    return next(reversed(trace_of(lines, cwd)), None)


def trace_of(lines: list[str], cwd: Path) -> tuple[Site, ...]:
    """The frames of the last traceback that lie in the user's own files, the outermost first."""
    lines = _of_one_rank(lines)
    begin = max((i for i, line in enumerate(lines) if line.startswith("Traceback ")), default=0)
    frames = [match for line in lines[begin:] if (match := FRAME.match(line)) is not None]
    return tuple(_shown(frame, cwd) for frame in frames if _is_theirs(frame["file"]))


def _is_theirs(path: str) -> bool:
    return not path.startswith((*OWN, "<")) and not any(part in path for part in NOT_THEIRS)


def _shown(frame: re.Match[str], cwd: Path) -> Site:
    full = os.path.realpath(cwd / frame["file"])
    relative = os.path.relpath(full, os.path.realpath(cwd))
    shown = full if relative.startswith("..") else relative
    return Site(file=shown, line=int(frame["line"]), function=frame["function"] or "")
