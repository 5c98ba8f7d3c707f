"""Programs the script started and hosts it connected to: nothing is done about them but to tell."""

import _io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firstlight.observe.inside import floor
from firstlight.records.containment import Contained

FILE = "doings"
STARTED, REACHED = "started", "reached"
MOST_LENGTH = 200


def note_doings(scratch: str) -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook. Every process of the script adds to one file."""
    known: set[tuple[str, str]] = set()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        tell = _TELLS.get(event)
        if tell is None:
            return
        try:
            doing = tell(arguments)
            if doing is not None and doing not in known:
                known.add(doing)
                with _io.open(f"{scratch}/{FILE}", "ab", buffering=0) as file:
                    file.write(os.fsencode("\t".join(doing).replace("\n", " ")[:MOST_LENGTH]) + b"\n")
        except Exception:  # told or not, the script goes on
            return

    return hook


def contained(scratch: Path) -> Contained:
    """What became of the containment, for the command that started the script."""
    try:
        lines = (scratch / FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    told = dict.fromkeys(tuple(line.split("\t", 1)) for line in lines if "\t" in line)
    return Contained(
        floor=floor.found(scratch),
        started=tuple(name for kind, name in told if kind == STARTED),
        reached=tuple(name for kind, name in told if kind == REACHED),
    )


def _program(path: Any) -> tuple[str, str]:
    return STARTED, os.path.basename(os.fsdecode(path))


def _popen(arguments: tuple[Any, ...]) -> tuple[str, str]:
    executable, words = arguments[:2]
    if isinstance(words, str | bytes | os.PathLike):
        return _program(executable or words)
    return _program(words[0] if words else executable)


def _shell(arguments: tuple[Any, ...]) -> tuple[str, str]:
    return STARTED, os.fsdecode(arguments[0])


def _connected(arguments: tuple[Any, ...]) -> tuple[str, str] | None:
    address = arguments[1]
    if not isinstance(address, tuple) or str(address[0]).startswith(("127.", "::1", "localhost", "0.0.0.0")):
        return None
    return REACHED, f"{address[0]}:{address[1]}"


_TELLS: dict[str, Callable[[tuple[Any, ...]], tuple[str, str] | None]] = {
    "subprocess.Popen": _popen,
    "os.system": _shell,
    "os.exec": lambda arguments: _program(arguments[0]),
    "os.posix_spawn": lambda arguments: _program(arguments[0]),
    "os.spawn": lambda arguments: _program(arguments[1]),
    "socket.connect": _connected,
}
