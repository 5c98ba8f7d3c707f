"""Text from anywhere, made fit to be shown: what a terminal would obey, or what hides other text, is spelt out."""

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

# Control characters but tab and newline; marks that reorder, hide or break lines of text; halves of characters; tags.
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
COLOUR = re.compile("\x1b\\[[0-9;]*m")
ORDER = re.compile(r"(?m)(^[ \t]*(?=::)|##(?=\[))")
"""What a build service takes for an order in any line it is shown: `::add-mask::…`, `##[group]…`."""


def printable(text: str) -> str:
    """Lines stay lines, colours go, and any other escape is shown as `\\x1b`, as Python would write it."""
    return OBEYED.sub(_spelt, COLOUR.sub("", text))


def in_one_line(text: str) -> str:
    """For what must neither hide anything nor begin a line of its own: a name, an argument, a title."""
    return OBEYED.sub(_spelt, text).replace("\n", "\\n").replace("\t", "\\t")


def inert(text: str) -> str:
    """Whole lines in which a build service finds no order to itself."""
    return ORDER.sub(r"\1\\", text)


def escaped_in_json(text: str) -> str:
    """The same document: such characters stand in strings alone, and are written there as JSON writes them."""
    return OBEYED.sub(lambda found: _units(found.group()), text).replace("##[", "##\\u005b")


def printable_record(record: T) -> T:
    """A copy in which every text is printable; enough for a report from anyone to be shown."""
    return msgspec.convert(_each(msgspec.to_builtins(record)), type(record))


def _each(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_each(key): _each(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each(item) for item in value]
    return value


def _spelt(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape", "surrogatepass").decode()


def _units(character: str) -> str:
    data = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[at : at + 2].hex()}" for at in range(0, len(data), 2))
