"""Text from anywhere, made fit to be shown: what a terminal would obey, or what hides other text, is spelt out."""

import re

# Control characters but tab and newline; marks that reorder, hide or break lines of text; halves of characters; tags.
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def printable(text: str) -> str:
    """Lines stay lines; an escape is shown as `\\x1b`, as Python would write it."""
    return OBEYED.sub(_spelt, text)


def in_one_line(text: str) -> str:
    """For what must not begin a line of its own: a name, an argument, a title."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def _spelt(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape", "surrogatepass").decode()
