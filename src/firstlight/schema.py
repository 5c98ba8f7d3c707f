"""Columns a stage of a data pipeline needs, checked in one line where the data passes.

    frame = fl.validate_schema(load(path), ["open", "close", "volume"], stage="raw prices")

Column names need nothing installed. Types, ranges and the rest go through narwhals; a pandera schema is taken as it is.
"""

import datetime
import difflib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from firstlight.errors import SchemaError, UsageError
from firstlight.observe.frames import Outline, column, outline
from firstlight.observe.inside import sites

Frame = TypeVar("Frame")
MOST_SHOWN = 40
"""Column names in a message; the error's `available` has all of them."""
OHLCV = ("open", "high", "low", "close", "volume")
PRESETS: dict[str, tuple[str, ...]] = {"ohlcv": OHLCV}

_KINDS: dict[str, Callable[[Any], bool]] = {
    "float": lambda dtype: dtype.is_float(),
    "int": lambda dtype: dtype.is_integer(),
    "number": lambda dtype: dtype.is_numeric(),
    "bool": lambda dtype: str(dtype) == "Boolean",
    "string": lambda dtype: str(dtype) in ("String", "Categorical", "Object") or str(dtype).startswith("Enum"),
    "time": lambda dtype: dtype.is_temporal(),
}
_TYPES: dict[type, str] = {
    float: "float",
    int: "int",
    bool: "bool",
    str: "string",
    datetime.datetime: "time",
    datetime.date: "time",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a column must be like; what is left out may be anything."""

    dtype: str | type | None = None
    """`float`, `int`, `number`, `bool`, `string` or `time`; or the Python type."""
    nullable: bool = True
    """Whether values may be missing, or NaN."""
    low: float | None = None
    high: float | None = None
    allowed: frozenset[Any] | set[Any] | tuple[Any, ...] | None = None
    unique: bool = False
    rising: bool = False
    """Never falls from one row to the next."""


Wanted = str | type | Column | None
Required = str | Iterable[str] | Mapping[str, Wanted]


def validate_schema(frame: Frame, required: Required | Any, *, stage: str, ordered: bool = False) -> Frame:
    """The frame itself, if it has what is required; else a `SchemaError` that says what it lacks.

    `required`: names; or a mapping of names to a type (`"float"`, `float`) or a `Column`; or the name of a preset
    (`"ohlcv"`); or a pandera schema. Index levels count as columns. `ordered` holds the columns to the order given, for
    those who take them by position.
    """
    seen = outline(frame)
    if hasattr(required, "validate") and not isinstance(required, Mapping):
        _by_pandera(frame, required, seen, stage)
        return frame
    wanted = _wanted(required)
    here = (*seen.index, *seen.columns)
    missing = tuple(name for name in wanted if name not in here)
    faults = [*_twice(seen, wanted), *(_disorder(seen, wanted) if ordered and not missing else ())]
    for name, rule in wanted.items():
        if rule != Column() and name not in missing and here.count(name) == 1:
            faults += [f"`{name}` {fault}" for fault in _faults(column(frame, name), rule)]
    if missing or faults:
        raise _error(seen, stage, missing, tuple(faults))
    logging.getLogger("firstlight").info("%s: %d required columns are there", stage, len(wanted))
    return frame


def _wanted(required: Required) -> dict[str, Column]:
    if isinstance(required, str):
        if required not in PRESETS:
            raise UsageError(
                f"`{required}` is no preset; there are {', '.join(PRESETS)}. A single column is written [{required!r}]."
            )
        required = PRESETS[required]
    if not isinstance(required, Mapping):
        return {str(name): Column() for name in required}
    return {str(name): _rule(str(name), rule) for name, rule in required.items()}


def _rule(name: str, wanted: Wanted) -> Column:
    rule = wanted if isinstance(wanted, Column) else Column(dtype=wanted)
    kind = _TYPES.get(rule.dtype) if isinstance(rule.dtype, type) else rule.dtype
    if rule.dtype is not None and kind not in _KINDS:
        shown = getattr(rule.dtype, "__name__", rule.dtype)
        raise UsageError(f"`{name}` is to be `{shown}`, which is no type known here: {', '.join(_KINDS)}")
    return rule


def _twice(seen: Outline, wanted: Iterable[str]) -> list[str]:
    return [f"`{name}` occurs {seen.columns.count(name)} times" for name in wanted if seen.columns.count(name) > 1]


def _disorder(seen: Outline, wanted: Mapping[str, Column]) -> list[str]:
    order = [name for name in (*seen.index, *seen.columns) if name in wanted]
    first = next(((have, want) for have, want in zip(order, wanted, strict=False) if have != want), None)
    return [] if first is None else [f"`{first[0]}` stands where `{first[1]}` is expected"]


def _faults(values: Any, rule: Column) -> list[str]:
    kind = _TYPES.get(rule.dtype) if isinstance(rule.dtype, type) else rule.dtype
    if kind is not None and not _KINDS[kind](values.dtype):
        return [f"is {values.dtype}, not {kind}"]
    known = values.drop_nulls()
    known = known.filter(~known.is_nan()) if known.dtype.is_float() else known
    empty = len(values) - len(known)
    found = [f"has {empty} missing values of {len(values)}"] if empty and not rule.nullable else []
    if len(known):
        found += (
            [f"goes down to {known.min()}, below {rule.low}"] if rule.low is not None and known.min() < rule.low else []
        )
        found += (
            [f"goes up to {known.max()}, above {rule.high}"]
            if rule.high is not None and known.max() > rule.high
            else []
        )
    if rule.allowed is not None:
        others = sorted({str(value) for value in known.unique().to_list() if value not in rule.allowed})
        found += [f"holds {', '.join(others[:5])}, which is not allowed"] if others else []
    if rule.unique and known.n_unique() < len(known):
        found.append(f"repeats {len(known) - known.n_unique()} values")
    if rule.rising and not known.is_sorted():
        found.append("falls somewhere from one row to the next")
    return found


def _by_pandera(frame: Any, schema: Any, seen: Outline, stage: str) -> None:
    try:
        schema.validate(frame, lazy=True)
    except Exception as problem:
        cases = getattr(problem, "failure_cases", None)
        if cases is None:
            raise
        names = [str(name) for name in getattr(schema, "columns", ())]
        missing = tuple(name for name in names if name not in (*seen.index, *seen.columns))
        raise _error(seen, stage, missing, tuple(_told(cases, missing))) from problem


def _told(cases: Any, missing: tuple[str, ...]) -> list[str]:
    """pandera's cases, without those about columns that are not there."""
    rows = outline(cases)
    named = [column(cases, name).to_list() for name in ("column", "check", "failure_case") if name in rows.columns]
    told = [
        f"`{where}` fails {check} with {case}" for where, check, case in zip(*named, strict=True) if case not in missing
    ]
    return list(dict.fromkeys(told))


def _error(seen: Outline, stage: str, missing: tuple[str, ...], faults: tuple[str, ...]) -> SchemaError:
    available = tuple(sorted({*seen.index, *seen.columns}))
    nearest = {name: near[0] for name in missing if (near := difflib.get_close_matches(name, available, 1, 0.6))}
    error = SchemaError(_message(seen, stage, [_with_nearest(name, nearest) for name in missing], faults))
    error.stage, error.missing, error.available, error.nearest = stage, missing, available, nearest
    error.faults, error.shape = faults, (seen.rows or 0, len(seen.columns))
    error.index, error.site = seen.index, sites.caller()
    return error


def _with_nearest(name: str, nearest: Mapping[str, str]) -> str:
    return f"`{name}` (nearest: `{nearest[name]}`)" if name in nearest else f"`{name}`"


def _message(seen: Outline, stage: str, missing: list[str], faults: tuple[str, ...]) -> str:
    here = sorted({*seen.index, *seen.columns})
    shown = ", ".join(here[:MOST_SHOWN]) + (f" and {len(here) - MOST_SHOWN} more" if len(here) > MOST_SHOWN else "")
    size = f"{'rows not counted' if seen.rows is None else f'{seen.rows:,} rows'} × {len(seen.columns)} columns"
    index = f", index {', '.join(seen.index)}" if seen.index else ""
    lines = [
        f"{stage}: " + (f"required columns are missing: {len(missing)}" if missing else "columns are not as required"),
        *([f"  missing    {', '.join(missing)}"] if missing else []),
        *(f"  wrong      {fault}" for fault in faults),
        f"  available  {shown or 'none'}",
        f"  frame      {seen.kind}, {size}{index}",
    ]
    site = sites.caller()
    return "\n".join(lines if site is None else [*lines, f"  where      {site.file}:{site.line}"])
