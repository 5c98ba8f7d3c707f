"""One check by its id or name, without loading the others: its file is named after it, in the folder of its hundred."""

import importlib
import re
from pathlib import Path

from firstlight.checks.declare import Check
from firstlight.checks.retired import successor

SECTIONS = {
    "0": "run",
    "1": "data",
    "2": "loss",
    "3": "step",
    "4": "model",
    "5": "learning",
    "6": "numerics",
    "7": "source",
    "8": "log",
    "9": "ranks",
    "10": "tables",
}
"""The hundred of an id is its folder."""
HERE = Path(__file__).parent


def own(word: str) -> Check | None:
    """Of our own checks the one with that id or name, in any case, or the successor of the one that had it."""
    word = successor(word).lower()
    if re.fullmatch(r"[a-z]+(-[a-z]+)+", word):
        found = files("*", f"{word.replace('-', '_')}.py")
    elif re.fullmatch(r"fl\d{3,4}", word) and _hundred(word) in SECTIONS:
        line = f'id="{word.upper()}"'
        found = [path for path in files(SECTIONS[_hundred(word)]) if line in path.read_text(encoding="utf-8")]
    else:
        return None
    return card(found[0]) if found else None


def section_of(check: Check) -> str:
    return SECTIONS[_hundred(check.id)]


def _hundred(identifier: str) -> str:
    return identifier[2:-2]


def files(section: str = "*", name: str = "[!_]*.py") -> list[Path]:
    """Of the checks, one each."""
    return sorted(HERE.glob(f"{section}/{name}"))


def card(path: Path) -> Check:
    """The identity card in the file of a check."""
    check = importlib.import_module(f"{__package__}.{path.parent.name}.{path.stem}").CHECK
    assert isinstance(check, Check)
    return check
