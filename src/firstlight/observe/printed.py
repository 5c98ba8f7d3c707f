"""Numbers with names in what a program prints: `epoch 3 train loss: 0.53, val_acc=91.2%`."""

import re
from collections.abc import Iterable

from firstlight.records.directions import grows

NUMBER = re.compile(
    r"""(?P<name>[A-Za-z_][\w/@.\-]*(?:[ ][A-Za-z_][\w/@.\-]*)?)   # one word or two
        (?:['"]?\s*[:=]\s*['"]?|[ ]+)
        (?P<value>[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+(?=%)|nan\b|inf\b))
        (?P<percent>%?)""",
    re.VERBOSE,
)
MOST_NAMES = 16
MOST_SCORES = 32
"""Names that tell which way they improve: of all that a framework prints, times and rates among it, they count most."""
MOST_VALUES = 32
FILES = (".py", ".cpp", ".h", ".cu")
"""Before a number of a line, as warnings have it."""


def numbers_in(lines: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """By name, in the order they were printed. Whole numbers count something, and are left out."""
    found: dict[str, list[float]] = {}
    for line in lines:
        for match in NUMBER.finditer(line):
            name = match["name"].lower()
            if not name.endswith(FILES) and (name in found or _has_room(found, name)):
                value = float(match["value"]) / (100 if match["percent"] else 1)
                found.setdefault(name, []).append(value)
    return {name: tuple(values[-MOST_VALUES:]) for name, values in found.items()}


def _has_room(found: Iterable[str], name: str) -> bool:
    is_score = grows(name) is not None
    return sum((grows(other) is not None) is is_score for other in found) < (MOST_SCORES if is_score else MOST_NAMES)
