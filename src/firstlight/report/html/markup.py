"""Elements built from parts. Text is escaped because there is no way to build one without: only `tag` makes markup."""

import html
import re
import unicodedata
from collections.abc import Iterable

from firstlight.records.printable import OBEYED

LONGEST = 4000
CODE = re.compile(r"`([^`]+)`")
VOID = frozenset({"meta", "link", "input", "img"})
Attribute = str | int | float | bool | None


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: Attribute) -> Markup:
    """`class_` and `data_name` are written `class` and `data-name`; True is a bare attribute, None and False none."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{''.join(_child(child) for child in children)}</{name}>")


def text(plain: object) -> Markup:
    """Escaped, with what would deceive the eye made visible, and no longer than anyone reads."""
    whole = str(plain)
    cut = f" … and {len(whole) - LONGEST} more characters" if len(whole) > LONGEST else ""
    shown = html.escape(OBEYED.sub(_named, whole[:LONGEST]), quote=True)
    return Markup(shown.replace("::", "&#58;:").replace("##[", "##&#91;") + cut)  # no order to a build service


def prose(plain: str) -> Markup:
    """A message, in which backticks mark code."""
    parts = CODE.split(plain)
    return Markup("".join(tag("code", part) if place % 2 else text(part) for place, part in enumerate(parts)))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def _child(child: object) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str) or not isinstance(child, Iterable):
        return text(child)
    return "".join(_child(part) for part in child)


def _named(found: re.Match[str]) -> str:
    character = found[0]
    name = unicodedata.name(character, "")
    return f"⟨U+{ord(character):04X}{f' {name.lower()}' if name else ''}⟩"
