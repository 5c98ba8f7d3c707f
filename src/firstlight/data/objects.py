"""What a program holds as a source: frames, arrays, datasets and loaders, none of whose libraries is imported here."""

import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data.engine import require
from firstlight.data.opening import SPLITS, kind_of, opened, splits_of
from firstlight.data.source import TablePart, TableSource, check_names
from firstlight.errors import UnreadableError, UsageError

ACCEPTED = (
    "paths and lists of them, pandas, Polars and PyArrow frames, Hugging Face datasets, NumPy arrays, "
    "dictionaries of arrays, pairs (inputs, targets), and torch datasets and loaders"
)
FRAMES = frozenset({"pandas", "polars", "modin", "cudf"})
INPUT, TARGET = "x", "target"
LABELS = (TARGET, "targets", "labels", "label", "y")
"""Fields that are the target unless the user says otherwise."""
MOST_EXAMPLES = 50_000
"""Of a torch dataset or loader: each is made by the user's own code, at its own pace."""
MOST_WIDE = 4096
"""Numbers of one example that become columns of their own; larger ones are averaged down first."""


def sources_of(given: Mapping[str, Any], encoding: str | None = None) -> dict[str, TableSource]:
    """By split: `train`, `val` and `test`. What holds several splits gives those that are not named."""
    train = given.get("train")
    if train is None:
        raise UsageError(f"`train` is None; accepted are {ACCEPTED}.")
    named = {name: each for name, each in given.items() if each is not None}
    inner: Mapping[str, Any] = {}
    if isinstance(train, str | Path):
        inner = splits_of(Path(train), encoding)
    elif _is_splits(train):
        inner = {SPLITS[key]: each for key, each in train.items() if key in SPLITS}
    named |= {name: each for name, each in inner.items() if name == "train" or name not in named}
    return {name: source_of(named[name], name, encoding) for name in ("train", "val", "test") if name in named}


def _is_splits(given: Any) -> bool:
    """A `DatasetDict`, or a dictionary of frames: by name, what are tables themselves."""
    train = given.get("train") if isinstance(given, Mapping) else None
    return hasattr(train, "column_names") or hasattr(train, "columns")


def source_of(given: Any, name: str, encoding: str | None = None) -> TableSource:
    """`name` is what the user calls it: `train`, `val` or `test`."""
    if isinstance(given, TableSource):
        return given
    if isinstance(given, str | Path):
        return opened(Path(given), encoding)
    if _is_rows(given) and all(isinstance(each, str | Path) and kind_of(Path(each)) for each in given):
        parts = tuple(part for each in given for part in opened(Path(each), encoding).parts)
        return TableSource(name=f"{name} ({len(given)} files)", parts=parts)
    table, target, told = _table(given, name)
    return TableSource(
        name=told, parts=(TablePart(kind="memory", path=told, rows=table.num_rows, table=table),), target=target
    )


def _table(given: Any, name: str) -> tuple[Any, str | None, str]:
    package = _package(given)
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given]), None, name
    if isinstance(given, pa.Table):
        return given, None, name
    if package == "datasets" and hasattr(given, "with_format") and hasattr(given, "__len__"):
        return given.with_format("arrow")[:], None, name
    if package in FRAMES:
        return _frame(given, name), None, name
    if isinstance(given, Mapping):
        return _columns({str(key): np.asarray(_plain(value)) for key, value in given.items()}, name), None, name
    if isinstance(given, tuple) and len(given) == 2 and all(hasattr(_plain(x), "shape") or _is_rows(x) for x in given):
        return _of_two(*given, name), TARGET, name
    if (fields := getattr(getattr(given, "dtype", None), "names", None)) is not None:
        return _columns({field: np.asarray(given[field]) for field in fields}, name), None, name
    if hasattr(_plain(given), "shape"):
        return _pair(np.asarray(_plain(given)), None, name), None, name
    if hasattr(given, "__getitem__") or isinstance(given, Iterable):
        return _examples(given, name)
    raise UsageError(f"`{name}` is a {type(given).__name__}; accepted are {ACCEPTED}.")


def _package(given: Any) -> str:
    return type(given).__module__.partition(".")[0]


def _is_rows(given: Any) -> bool:
    return isinstance(given, list) and len(given) > 0


def _of_two(inputs: Any, targets: Any, name: str) -> Any:
    """A frame keeps the names of its columns beside its targets."""
    answers = np.asarray(_plain(targets))
    if _package(inputs) not in FRAMES:
        return _pair(np.asarray(_plain(inputs)), answers, name)
    table = _frame(inputs, name)
    if len(answers) != table.num_rows:
        raise UsageError(f"`{name}` has {table.num_rows} inputs and {len(answers)} targets; each needs the other.")
    for column, values in _named(TARGET, answers.reshape(len(answers), -1)).items():
        table = table.append_column(column, pa.array(values, from_pandas=True))
    return table


def _frame(given: Any, name: str) -> Any:
    """Index levels that have names are columns too; an index without a name only numbers the rows."""
    require("narwhals", "reading frames")
    nw = importlib.import_module("narwhals.stable.v2")
    if hasattr(given, "to_frame"):  # a series
        given = given.to_frame()
    if hasattr(given, "reset_index"):
        given = given.reset_index(drop=not any(given.index.names)).rename(columns=str)
        check_names(list(given.columns), name)
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
    columns = _named(INPUT, _wide(inputs))
    if targets is not None:
        if len(targets) != len(inputs):
            raise UsageError(f"`{name}` has {len(inputs)} inputs and {len(targets)} targets; each needs the other.")
        columns |= _named(TARGET, targets.reshape(len(targets), -1))
    return _columns(columns, name)


def _named(key: str, wide: Any) -> dict[str, Any]:
    """One column keeps the name, several are numbered; inputs without names of their own always are."""
    alone = wide.shape[1] == 1 and key != INPUT
    return {key if alone else f"{key}{place}": column for place, column in enumerate(wide.T)}


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
    """A torch loader gives batches, a dataset single examples: (inputs, target), inputs alone, or fields by name."""
    batched = hasattr(given, "dataset") and hasattr(given, "batch_size") and given.batch_size is not None
    gathered: dict[str, list[Any]] = {}
    taken = 0
    for each in _made(given, name):
        fields = {str(key): np.asarray(_plain(value)) for key, value in _fields(each).items()}
        rows = max((len(value) for value in fields.values()), default=0) if batched else 1
        for key, value in fields.items():
            gathered.setdefault(key, []).append(_wide(value if batched else value[None]))
        taken += rows
        if taken >= MOST_EXAMPLES:
            break
    if not gathered:
        raise UsageError(f"`{name}` gives no examples.")
    told = f"{name} (the first {taken:,} examples)" if taken >= MOST_EXAMPLES else name
    columns: dict[str, Any] = {}
    for key, values in gathered.items():
        if len({each.shape[1] for each in values}) > 1:
            raise UsageError(
                f"the examples of `{name}` differ in size (`{key}`), so they are no table. Pad them, or give a frame."
            )
        columns |= _named(key, np.concatenate(values))
    return _columns(columns, name), next((key for key in LABELS if key in columns), None), told


def _made(given: Any, name: str) -> Iterator[Any]:
    place = 0
    try:
        for place, each in enumerate(_iterated(given), 1):  # noqa: B007 (told where the next one fails)
            yield each
    except (UsageError, GeneratorExit):
        raise
    except Exception as problem:
        told = f"`{name}` fails at its {'batch' if hasattr(given, 'batch_size') else 'example'} {place}"
        raise UnreadableError(f"{told}: {type(problem).__name__}: {problem}") from problem


def _iterated(given: Any) -> Iterable[Any]:
    if hasattr(given, "__iter__"):
        return (each for each in given)
    if not hasattr(given, "__len__"):
        raise UsageError(f"a {type(given).__name__} is neither iterable nor has it a length; accepted are {ACCEPTED}.")
    return (given[place] for place in range(len(given)))


def _fields(each: Any) -> Mapping[Any, Any]:
    if isinstance(each, Mapping):
        return each
    if isinstance(each, tuple | list) and len(each) >= 2:
        return {INPUT: each[0], TARGET: each[1]}
    return {INPUT: each[0] if isinstance(each, tuple | list) else each}
