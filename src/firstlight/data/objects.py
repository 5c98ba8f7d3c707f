"""What a program holds as a source: frames, arrays, datasets and loaders, none of whose libraries is imported here."""

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data.engine import require
from firstlight.data.opening import opened
from firstlight.data.source import TablePart, TableSource
from firstlight.errors import UsageError

ACCEPTED = (
    "paths, pandas, Polars and PyArrow frames, Hugging Face datasets, NumPy arrays, dictionaries of arrays, "
    "pairs (inputs, targets), and torch datasets and loaders"
)
TARGET = "target"
MOST_EXAMPLES = 50_000
"""Of a torch dataset or loader: each is made by the user's own code, at its own pace."""
MOST_WIDE = 4096
"""Numbers of one example that become columns of their own; larger ones are averaged down first."""


def source_of(given: Any, name: str) -> TableSource:
    """`name` is what the user calls it: `train`, `val` or `test`."""
    if isinstance(given, TableSource):
        return given
    if isinstance(given, str | Path):
        return opened(Path(given))
    table, target, told = _table(given, name)
    return TableSource(
        name=told, parts=(TablePart(kind="memory", path=told, rows=table.num_rows, table=table),), target=target
    )


def _table(given: Any, name: str) -> tuple[Any, str | None, str]:
    package = type(given).__module__.partition(".")[0]
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given]), None, name
    if isinstance(given, pa.Table):
        return given, None, name
    if package == "datasets" and hasattr(given, "with_format"):
        return given.with_format("arrow")[:], None, name
    if package in ("pandas", "polars", "modin", "cudf"):
        return _frame(given), None, name
    if isinstance(given, Mapping):
        return _columns({str(key): np.asarray(_plain(value)) for key, value in given.items()}, name), None, name
    if isinstance(given, tuple) and len(given) == 2 and all(hasattr(_plain(each), "shape") for each in given):
        table = _pair(np.asarray(_plain(given[0])), np.asarray(_plain(given[1])), name)
        return table, TARGET, name
    if hasattr(_plain(given), "shape"):
        return _pair(np.asarray(_plain(given)), None, name), None, name
    if hasattr(given, "__getitem__") or isinstance(given, Iterable):
        return _examples(given, name)
    raise UsageError(f"`{name}` is a {type(given).__name__}; accepted are {ACCEPTED}.")


def _frame(given: Any) -> Any:
    """Index levels that have names are columns too; an index without a name only numbers the rows."""
    require("narwhals", "reading frames")
    nw = importlib.import_module("narwhals.stable.v2")
    if hasattr(given, "reset_index"):
        given = given.reset_index(drop=not any(given.index.names))
    try:
        frame = nw.from_native(given)
        return (frame.collect() if hasattr(frame, "collect") else frame).to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise UsageError(f"a column mixes types: {problem}. Give each column one type, or None.") from None


def _plain(value: Any) -> Any:
    """Tensors as arrays, by their own methods; everything else as it is."""
    if not hasattr(value, "detach"):
        return value
    value = value.detach().cpu()
    return (value.float() if "16" in str(value.dtype) and value.dtype.is_floating_point else value).numpy()


def _pair(inputs: Any, targets: Any, name: str) -> Any:
    columns = {f"x{place}": column for place, column in enumerate(_wide(inputs).T)}
    if targets is not None:
        if len(targets) != len(inputs):
            raise UsageError(f"`{name}` has {len(inputs)} inputs and {len(targets)} targets; each needs the other.")
        flat = np.asarray(targets).reshape(len(targets), -1)
        columns |= {TARGET if flat.shape[1] == 1 else f"{TARGET}{place}": each for place, each in enumerate(flat.T)}
    return _columns(columns, name)


def _wide(inputs: Any) -> Any:
    """One row for each example; large ones are averaged over neighbours until they are small enough."""
    while inputs.ndim > 2 and int(np.prod(inputs.shape[1:])) > MOST_WIDE:
        axis = int(np.argmax(inputs.shape[1:])) + 1
        even = inputs.shape[axis] // 2 * 2
        inputs = np.take(inputs, range(even), axis=axis)
        inputs = inputs.reshape(*inputs.shape[:axis], even // 2, 2, *inputs.shape[axis + 1 :]).mean(axis=axis + 1)
    return inputs.reshape(len(inputs), -1) if inputs.ndim > 1 else inputs.reshape(-1, 1)


def _columns(columns: dict[str, Any], name: str) -> Any:
    lengths = {len(values) if values.ndim else 0: key for key, values in columns.items()}
    if len(lengths) > 1:
        told = ", ".join(f"`{key}` has {length}" for length, key in sorted(lengths.items()))
        raise UsageError(f"the arrays of `{name}` differ in length: {told}.")
    arrays = {
        key: values if values.ndim == 1 else list(values.reshape(len(values), -1)) for key, values in columns.items()
    }
    try:
        return pa.table({key: pa.array(values, from_pandas=True) for key, values in arrays.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as problem:
        raise UsageError(f"`{name}` holds a column that is no table's: {problem}.") from None


def _examples(given: Any, name: str) -> tuple[Any, str | None, str]:
    """A torch loader gives batches, a dataset single examples; both as (inputs, target), or as inputs alone."""
    batched = hasattr(given, "dataset") and hasattr(given, "batch_size") and given.batch_size is not None
    inputs, targets, taken = [], [], 0
    for each in _iterated(given):
        x, y = _parted(each, name)
        x = np.asarray(_plain(x))
        x = x if batched else x[None]
        inputs.append(_wide(x))
        if y is not None:
            targets.append(np.asarray(_plain(y)).reshape(len(x), -1))
        taken += len(x)
        if taken >= MOST_EXAMPLES:
            break
    if not inputs:
        raise UsageError(f"`{name}` gives no examples.")
    if len({each.shape[1] for each in inputs}) > 1:
        raise UsageError(f"the examples of `{name}` differ in size, so they are no table. Pad them, or give a frame.")
    told = f"{name} (the first {taken:,} examples)" if taken >= MOST_EXAMPLES else name
    table = _pair(np.concatenate(inputs), np.concatenate(targets) if targets else None, name)
    return table, TARGET if targets else None, told


def _iterated(given: Any) -> Iterable[Any]:
    if hasattr(given, "__iter__"):
        return (each for each in given)
    if not hasattr(given, "__len__"):
        raise UsageError(f"a {type(given).__name__} is neither iterable nor has it a length; accepted are {ACCEPTED}.")
    return (given[place] for place in range(len(given)))


def _parted(each: Any, name: str) -> tuple[Any, Any]:
    if isinstance(each, Mapping):
        keys = list(each)
        known = [key for key in ("labels", "label", "target", "targets", "y") if key in each]
        rest = [key for key in keys if key not in known]
        if not rest:
            raise UsageError(f"the examples of `{name}` are dictionaries without inputs: {', '.join(map(str, keys))}.")
        return each[rest[0]], each[known[0]] if known else None
    if isinstance(each, tuple | list) and len(each) >= 2:
        return each[0], each[1]
    return (each[0], None) if isinstance(each, tuple | list) else (each, None)
