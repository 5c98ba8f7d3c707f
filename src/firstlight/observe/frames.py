"""What a data frame of any kind looks like from outside: names, index, size, and single columns when asked for.

pandas, Polars (lazy ones too), PyArrow tables and dictionaries of arrays or tensors. None of these is imported here.
"""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.errors import UsageError
from firstlight.observe.dtypes import spelled

ACCEPTED = "pandas, Polars and PyArrow frames, and dictionaries of arrays"
BACKENDS = ("pyarrow", "polars", "pandas")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    kind: str
    """As its user calls it: `pandas.DataFrame`, `dict`."""
    columns: tuple[str, ...]
    index: tuple[str, ...] = ()
    rows: int | None = None
    """None where counting them would run a query."""


def outline(frame: Any) -> Outline:
    package = "" if isinstance(frame, Mapping) else _package(frame)
    kind = f"{package}{type(frame).__name__}"
    if isinstance(frame, Mapping):
        lengths = {_length(name, column): name for name, column in frame.items()}
        if len(lengths) > 1:
            told = ", ".join(f"`{name}` has {length}" for length, name in sorted(lengths.items()))
            raise UsageError(f"the arrays of the dictionary differ in length: {told}")
        return Outline(kind=kind, columns=_text(frame), rows=next(iter(lengths), 0))
    if hasattr(frame, "collect_schema") and not hasattr(frame, "__len__"):
        return Outline(kind=kind, columns=_text(frame.collect_schema().names()))
    names = getattr(frame, "column_names", None) or getattr(frame, "columns", None)
    if names is None or isinstance(names, str) or not hasattr(frame, "__len__"):
        raise UsageError(f"a {kind} is no data frame; accepted are {ACCEPTED}")
    index = [name for name in getattr(getattr(frame, "index", None), "names", ()) if name is not None]
    if callable(names):
        names = frame.schema.names
    return Outline(kind=kind, columns=_text(names), index=_text(index), rows=len(frame))


def _length(name: Any, values: Any) -> int:
    single = isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or getattr(values, "shape", None) == ()
    if single:
        raise UsageError(
            f"`{name}` of the dictionary is a {type(values).__name__}, not an array. "
            f"A dictionary is taken as a frame of one array for each column; a single value is written in a list."
        )
    return len(values)


def dtype_of(frame: Any, name: str, values: Any) -> str:
    """As the frame itself has it: half precision is widened on its way into a series."""
    own = getattr(frame[name], "dtype", None) if isinstance(frame, Mapping) else None
    return spelled(values.dtype if own is None else own)


def column(frame: Any, name: str) -> Any:
    """One column, or index level, as a narwhals series."""
    if importlib.util.find_spec("narwhals") is None:
        raise UsageError("types and ranges of columns need narwhals: `pip install firstlight[data]`")
    import narwhals.stable.v2 as nw

    if isinstance(frame, Mapping):
        return nw.new_series(name, _flat(frame[name]), backend=_backend())
    if name in getattr(getattr(frame, "index", None), "names", ()):
        return nw.from_native(frame.index.get_level_values(name).to_series(), series_only=True)
    narrowed = nw.from_native(frame).select(name)
    collected = narrowed.collect() if isinstance(narrowed, nw.LazyFrame) else narrowed
    return collected[name]


def _flat(values: Any) -> Any:
    """Images and the like are looked at value by value; half precision, which tables do not know, as float32."""
    flat = values.reshape(-1) if hasattr(values, "reshape") else values
    halved = spelled(getattr(values, "dtype", "")) in ("float16", "bfloat16")
    if hasattr(flat, "detach"):
        flat = flat.detach().cpu()
        return (flat.float() if halved else flat).numpy()
    return flat.astype("float32") if halved and hasattr(flat, "astype") else flat


def _backend() -> str:
    found = next((name for name in BACKENDS if importlib.util.find_spec(name)), None)
    if found is None:
        raise UsageError(f"types and ranges of arrays need one of {', '.join(BACKENDS)} beside narwhals")
    return found


def _package(frame: Any) -> str:
    """As a prefix; what Python itself brings has none."""
    name = type(frame).__module__.partition(".")[0]
    return "" if name == "builtins" else f"{name}."


def _text(names: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in names)
