"""By which line of the user's a model was made."""

import sys
from collections.abc import Sequence
from types import FrameType
from typing import NamedTuple

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.records.places import Site

MOST_FRAMES = 24


class RunningLine(NamedTuple):
    file: str
    line: int
    function: str


class Made:
    """The lines that were running when a module was given its first parameter, the outermost first."""

    def __init__(self) -> None:
        self._ways: ByIdentity[tuple[RunningLine, ...]] = ByIdentity()

    def note(self, module: torch.nn.Module, *_: object) -> None:
        if module not in self._ways:
            self._ways[module] = lines()

    def line_of(self, model: torch.nn.Module, running: Sequence[RunningLine]) -> Site | None:
        """The first that was not running as well when the model was used, be it within the maker of an object."""
        ways = (self._ways.get(module, None) for module in model.modules())
        way = next((found for found in ways if found), ())
        if not way:
            return None
        common = next((at for at, (one, other) in enumerate(zip(way, running, strict=False)) if one != other), None)
        place = common if common is not None else min(len(way), len(running)) - 1
        while place + 1 < len(way) and way[place + 1].function == "__init__":
            place += 1
        found = sites.site_of(way[place].file, way[place].line)
        return None if found is None else Site(file=found.file, line=found.line, function=way[place].function)


def lines() -> tuple[RunningLine, ...]:
    """The user's that are running, less those within a module's own methods."""
    found: list[RunningLine] = []
    frame: FrameType | None = sys._getframe(1)
    for _ in range(MOST_FRAMES * 4):
        if frame is None or len(found) >= MOST_FRAMES:
            break
        code = frame.f_code
        if sites.is_users(code.co_filename) and not _is_of_a_module(frame):
            found.append(RunningLine(code.co_filename, frame.f_lineno or 0, code.co_name))
        frame = frame.f_back
    return tuple(reversed(found))


def _is_of_a_module(frame: FrameType) -> bool:
    names = frame.f_code.co_varnames
    return bool(names) and names[0] == "self" and isinstance(frame.f_locals.get("self"), torch.nn.Module)
