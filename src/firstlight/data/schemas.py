"""What good data are like, written to a file a person can edit, and what later data break of it."""

import json
import math
import operator
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from firstlight.data.hashing import is_numeric, numbers_of
from firstlight.errors import UsageError
from firstlight.store import plain_files
from firstlight.store.run_directory import shown

SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}
RULE = re.compile(r"\s*(?P<left>.+?)\s*(?P<sign>>=|<=|==|!=|>|<)\s*(?P<right>.+?)\s*")
KINDS = ("number", "whole", "flag", "text", "time", "other")
MOST_ROWS = 5
"""Examples that are told."""
MOST_BYTES = 16 << 20
BARE = re.compile(r"[A-Za-z0-9_-]+")
CAREFUL = 0.1
"""Share of its range by which a column may go beyond what was seen in the good data."""


FEW_ROWS = 10.0
"""… and this divided by the root of the number of rows, where that is more: as far again for a hundred rows."""
TAIL = 2.0
"""Times the distance from the first or last hundredth of the values to the end."""


class ColumnRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a column must be like; what is left out may be anything."""

    kind: str | None = None
    low: float | None = None
    high: float | None = None
    allowed: tuple[str, ...] | None = None
    """Values, as text."""
    missing: float = 1.0
    """Largest share of values that may be missing."""
    optional: bool = False


class Schema(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rows: int = 0
    """As many there must be at least."""
    columns: dict[str, ColumnRule] = {}
    rules: tuple[str, ...] = ()
    """Between columns: `high >= low`."""


class SchemaRule(msgspec.Struct, frozen=True):
    left: str
    sign: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


class RuleTally:
    """In how many rows a rule between two columns is broken, and in which first. A missing value breaks none."""

    def __init__(self, rule: SchemaRule) -> None:
        self.rule = rule
        self.broken = self.asked = 0
        self.rows: list[int] = []
        self.examples: list[str] = []

    def add(self, columns: Mapping[str, Any], first_row: int) -> None:
        pair = [columns.get(name) for name in (self.rule.left, self.rule.right)]
        if not all(each is not None and (is_numeric(each.type) or pa.types.is_temporal(each.type)) for each in pair):
            return
        left, right = (numbers_of(each) for each in pair)
        known = ~(np.isnan(left) | np.isnan(right))
        wrong = np.flatnonzero(known & ~SIGNS[self.rule.sign](left, right))
        self.asked += int(known.sum())
        self.broken += len(wrong)
        for place in wrong[: MOST_ROWS - len(self.rows)]:
            self.rows.append(first_row + int(place))
            self.examples.append(f"{left[place]:.6g} and {right[place]:.6g}")

    def merge(self, other: "RuleTally") -> None:
        self.asked, self.broken = self.asked + other.asked, self.broken + other.broken
        both = sorted(zip([*self.rows, *other.rows], [*self.examples, *other.examples], strict=True))[:MOST_ROWS]
        self.rows, self.examples = [row for row, _ in both], [told for _, told in both]


def read(path: Path) -> Schema:
    try:
        text = plain_files.contents(path, MOST_BYTES, follow=True).decode("utf-8")
        schema = msgspec.convert(tomllib.loads(text), Schema)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, ValueError) as problem:
        raise UsageError(f"{shown(path)} is no schema: {problem}. `firstlight data profile` writes one.") from None
    for name, rule in schema.columns.items():
        if rule.kind is not None and rule.kind not in KINDS:
            raise UsageError(f"{shown(path)}: `{name}` is to be `{rule.kind}`; the kinds are {', '.join(KINDS)}.")
    rules_of(schema, shown(path))
    return schema


def rules_of(schema: Schema, file: str) -> tuple[SchemaRule, ...]:
    found = []
    for text in schema.rules:
        match = RULE.fullmatch(text)
        if match is None:
            raise UsageError(f"{file}: the rule `{text}` compares no two columns; write it as `high >= low`.")
        rule = SchemaRule(match["left"], match["sign"], match["right"])
        if schema.columns:
            for name in (rule.left, rule.right):
                if name not in schema.columns:
                    raise UsageError(f"{file}: the rule `{text}` names `{name}`, which is no column of the schema.")
        found.append(rule)
    return tuple(found)


def written(schema: Schema, source: str) -> str:
    """As TOML, with what was left out left out."""
    lines = [
        f"# Written by `firstlight data profile` from {json.dumps(source)}; later data are held to it by",
        "# `firstlight data FILE --schema THIS`. Edit what was true by accident.",
        f"rows = {schema.rows}",
        "rules = [" + ", ".join(_text(rule) for rule in schema.rules) + "]",
    ]
    for name, rule in schema.columns.items():
        lines += ["", f"[columns.{name if BARE.fullmatch(name) else _text(name)}]"]
        given = msgspec.structs.asdict(rule)
        defaults = msgspec.structs.asdict(ColumnRule())
        lines += [f"{key} = {_value(value)}" for key, value in given.items() if value != defaults[key]]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(_text(each) for each in value) + "]"
    return repr(float(value)) if isinstance(value, float | int) else _text(str(value))


def _text(plain: str) -> str:
    """A string of TOML: JSON's, but for one character that TOML wants escaped too."""
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")


def widened(low: float, high: float, kind: str, usual: tuple[float, float], rows: int) -> tuple[float, float]:
    """Beyond what was seen by a share of the range, or by twice what lies beyond the `usual` hundredths: the fewer the
    rows and the longer the tail, the farther the next values. Not beyond zero: what was never negative stays so."""
    share = max(CAREFUL, FEW_ROWS / math.sqrt(rows))
    more = share * (high - low) if math.isfinite(high - low) else 0.0
    below, above = low - max(more, TAIL * (usual[0] - low)), high + max(more, TAIL * (high - usual[1]))
    if kind == "whole":
        below, above = math.floor(below), math.ceil(above)
    return (max(below, 0.0) if low >= 0 else below), (min(above, 0.0) if high <= 0 else above)
