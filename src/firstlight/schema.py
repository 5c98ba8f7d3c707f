"""Columns a stage of a data pipeline needs, checked in one line where the data passes.

    frame = fl.validate_schema(load(path), ["open", "close", "volume"], stage="raw prices")

Column names need nothing installed. Types, ranges and the rest go through narwhals; a pandera schema is taken as it is.
"""

import datetime
import difflib
import logging
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeVar

from firstlight.errors import SchemaError, UsageError
from firstlight.observe import dtypes
from firstlight.observe.frames import Outline, column, dtype_of, outline
from firstlight.observe.inside import sites
from firstlight.observe.keywords import nearest_keyword

Frame = TypeVar("Frame")
MOST_SHOWN = 40
"""Column names in a message; the error's `available` has all of them."""
OHLCV = ("open", "high", "low", "close", "volume")
PRESETS: dict[str, tuple[str, ...]] = {"ohlcv": OHLCV}
NAMES = (str, Number, tuple, datetime.date)
"""What a column may be called; told and compared as text."""


@nearest_keyword
@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a column must be like; what is left out may be anything."""

    dtype: Any = None
    """`float`, `int`, `number`, `bool`, `string` or `time`; the Python type; or one of a size, as numpy, pandas, Polars
    or torch write it (`"float32"`, `np.int64`, `pl.Float32`, `torch.bfloat16`)."""
    nullable: bool = True
    """Whether values may be missing, or NaN."""
    low: float | datetime.date | str | None = None
    """The least value there may be, or the name of a column that it is held against row by row; likewise `high`."""
    high: float | datetime.date | str | None = None
    allowed: Container[Any] | None = None
    unique: bool = False
    rising: bool = False
    """Never falls from one row to the next."""

    def __post_init__(self) -> None:
        for name in ("nullable", "unique", "rising"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"`{name}` of a Column is {getattr(self, name)!r}; it takes True or False.")
        for name in ("low", "high"):
            bound = getattr(self, name)
            if isinstance(bound, bool) or bound != bound or not isinstance(bound, Number | datetime.date | str | None):
                raise UsageError(
                    f"`{name}` of a Column is {bound!r}; it takes a number, a date or the name of another column."
                )
        if isinstance(self.allowed, str) or not isinstance(self.allowed, Container | None):
            raise UsageError(f"`allowed` of a Column is {self.allowed!r}; it takes a set or a list of values.")
        _check_bounds(self.low, self.high)


def _check_bounds(low: Any, high: Any) -> None:
    if isinstance(low, str) or isinstance(high, str):
        return
    try:
        empty = low is not None and high is not None and low > high
    except TypeError:
        raise UsageError(
            f"`low` of a Column is {low!r} and `high` is {high!r}; give both as numbers or both as dates."
        ) from None
    if empty:
        raise UsageError(f"`low` of a Column is {low}, above its `high` of {high}: no value fits. Swap them.")


def validate_schema(frame: Frame, required: Any, *, stage: str, ordered: bool = False, least_rows: int = 1) -> Frame:
    """The frame itself, if it has what is required; else a `SchemaError` that says what it lacks.

    `required`: names; or a mapping of names to a type (`"float"`, `float`, `np.float32`) or a `Column`; or the name of
    a preset (`"ohlcv"`); or a pandera schema. Index levels count as columns. `stage` must be given: it says which point
    of the pipeline the error is about. `ordered` holds the columns to the order given, for those who take them by
    position. `least_rows` is 1: an empty frame is an error, unless 0 allows it.
    """
    _check_arguments(stage, ordered, least_rows)
    by_pandera = hasattr(required, "validate") and not hasattr(required, "__len__")
    wanted = {} if by_pandera else _wanted(required)
    seen = outline(frame)
    if by_pandera:
        _by_pandera(frame, required, seen, stage)
        return frame
    here = (*seen.index, *seen.columns)
    missing = tuple(name for name in wanted if name not in here)
    faults = [*_twice(seen, wanted), *(_disorder(seen, wanted) if ordered and not missing else ())]
    if seen.rows is not None and seen.rows < least_rows:
        faults.append(f"it has {seen.rows} rows; at least {least_rows} are needed")
    for name, rule in wanted.items():
        if rule != Column() and name not in missing and here.count(name) == 1:
            faults += [
                f"`{name}` {fault}" for fault in (*_faults(frame, name, rule), *_across(frame, name, rule, here))
            ]
    if missing or faults:
        raise _error(seen, stage, missing, tuple(faults))
    logging.getLogger("firstlight").info("%s: %d required columns are there", stage, len(wanted))
    return frame


def _check_arguments(stage: Any, ordered: Any, least_rows: Any) -> None:
    if not isinstance(stage, str) or not stage.strip() or not isinstance(ordered, bool):
        raise UsageError(
            f"stage={stage!r}, ordered={ordered!r}: `stage` is a text that is not empty, `ordered` is True or False."
        )
    if type(least_rows) is not int or least_rows < 0:
        raise UsageError(f"least_rows={least_rows!r}: it takes a whole number from 0 on.")


def _wanted(required: Any) -> dict[str, Column]:
    if isinstance(required, str):
        if required not in PRESETS:
            raise UsageError(
                f"`{required}` is no preset; there are {', '.join(PRESETS)}. A single column is written [{required!r}]."
            )
        required = PRESETS[required]
    if isinstance(required, Mapping):
        return {str(name): _rule(str(name), rule) for name, rule in required.items()}
    kind = type(required).__name__
    if hasattr(required, "columns") or hasattr(required, "column_names"):
        raise UsageError(f"a {kind} was given as what is required. The frame comes first, then what it must hold.")
    names = list(required) if isinstance(required, Iterable) and not isinstance(required, bytes) else [required]
    if not isinstance(required, Iterable) or not all(isinstance(name, NAMES) for name in names):
        raise UsageError(
            f"what is required is {required!r:.60}; it takes a list of names, a mapping of names to types or Columns, "
            f"a preset ({', '.join(PRESETS)}) or a pandera schema."
        )
    return {str(name): Column() for name in names}


def _rule(name: str, wanted: Any) -> Column:
    rule = wanted if isinstance(wanted, Column) else Column(dtype=wanted)
    if rule.dtype is not None and not dtypes.is_known(dtypes.spelled(rule.dtype)):
        shown = getattr(rule.dtype, "__name__", rule.dtype)
        raise UsageError(f"`{name}` is to be `{shown}`, which is no type known here: {dtypes.ACCEPTED}")
    return rule


def _twice(seen: Outline, wanted: Iterable[str]) -> list[str]:
    return [f"`{name}` occurs {seen.columns.count(name)} times" for name in wanted if seen.columns.count(name) > 1]


def _disorder(seen: Outline, wanted: Mapping[str, Column]) -> list[str]:
    order = [name for name in (*seen.index, *seen.columns) if name in wanted]
    first = next(((have, want) for have, want in zip(order, wanted, strict=False) if have != want), None)
    return [] if first is None else [f"`{first[0]}` stands where `{first[1]}` is expected"]


def _faults(frame: Any, name: str, rule: Column) -> list[str]:
    values = column(frame, name)
    have, wanted = dtype_of(frame, name, values), dtypes.spelled(rule.dtype)
    if rule.dtype is not None and not dtypes.fits(have, wanted):
        return [f"is {have}, not {wanted}"]
    known = values.drop_nulls()
    known = known.filter(~known.is_nan()) if known.dtype.is_float() else known
    empty = len(values) - len(known)
    found = [f"has {empty} missing values of {len(values)}"] if empty and not rule.nullable else []
    try:
        return [*found, *_beyond(known, rule), *_unlike(known, rule)]
    except TypeError as problem:  # values of several types, or of another than the bounds
        return [*found, f"is {have}, whose values cannot be compared as required ({problem})"]


def _beyond(known: Any, rule: Column) -> list[str]:
    if not len(known):
        return []
    found = []
    if not isinstance(rule.low, str | None) and known.min() < rule.low:
        found.append(f"goes down to {known.min()}, below {rule.low}")
    if not isinstance(rule.high, str | None) and known.max() > rule.high:
        found.append(f"goes up to {known.max()}, above {rule.high}")
    return found


def _across(frame: Any, name: str, rule: Column, here: tuple[str, ...]) -> list[str]:
    """What is held against another column, row by row; comparisons with a value that is missing are never true."""
    found = []
    for other, lower in ((rule.low, False), (rule.high, True)):
        if not isinstance(other, str):
            continue
        word = "above" if lower else "below"
        if here.count(other) != 1:
            found.append(f"is not to be {word} `{other}`, and there is no such column")
            continue
        values, bounds = column(frame, name).to_numpy(), column(frame, other).to_numpy()
        try:
            beyond = int((values > bounds if lower else values < bounds).sum())
        except TypeError as problem:
            found.append(f"cannot be compared with `{other}` ({problem})")
            continue
        found += [f"is {word} `{other}` in {beyond} of {len(values)} rows"] if beyond else []
    return found


def _unlike(known: Any, rule: Column) -> list[str]:
    found = []
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
            kind = type(schema).__name__
            raise UsageError(f"the {kind} given cannot validate a {seen.kind}: {problem}") from problem
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
