"""One check by its id or name, without loading the others: its file is named after it, in the folder of its hundred."""

import importlib
import re
from pathlib import Path

from firstlight.checks.declare import Check

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
    """Of our own checks the one with that id or name, in any case."""
    word = word.lower()
    if re.fullmatch(r"[a-z]+(-[a-z]+)+", word):
        files = list(HERE.glob(f"*/{word.replace('-', '_')}.py"))
    elif re.fullmatch(r"fl\d{3,4}", word):
        card = f'id="{word.upper()}"'
        files = [
            path
            for path in (HERE / SECTIONS.get(_hundred(word), "")).glob("*.py")
            if card in path.read_text(encoding="utf-8")
        ]
    else:
        return None
    return _card(files[0]) if files else None


def section_of(check: Check) -> str:
    return SECTIONS[_hundred(check.id)]


def _hundred(identifier: str) -> str:
    return identifier[2:-2]


def _card(path: Path) -> Check:
    check = importlib.import_module(f"{__package__}.{path.parent.name}.{path.stem}").CHECK
    assert isinstance(check, Check)
    return check
