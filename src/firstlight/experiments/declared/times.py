"""Whether validation comes after training: the time column of a declared table, part against part."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from firstlight.errors import UsageError
from firstlight.experiments.declared.bench import Bench
from firstlight.observe.frames import column, outline
from firstlight.records.declared import TimeOrder
from firstlight.records.program import Unseen

TIMES = ("time", "timestamp", "datetime", "date", "ts")
SPLITS = ("split", "set", "subset", "part", "partition", "fold")
TRAIN = ("train", "training", "fit", "tr")
VAL = ("val", "valid", "validation", "dev", "test", "eval", "holdout")


def times(bench: Bench) -> None:
    try:
        found = list(_parts(bench.experiment.frame))
    except UsageError as error:  # one big array, say, has no columns to look at
        bench.emit(Unseen(step=0, tap="times", reason=str(error)))
        return
    for name, train, val in found:
        if train and val:
            bench.emit(order(name, train, val))


def _parts(frame: Any) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """The table is a mapping of splits to tables, or says in a column to which split each row belongs."""
    if isinstance(frame, Mapping) and all(hasattr(part, "columns") for part in frame.values()):
        named = {str(key).lower(): part for key, part in frame.items()}
        train = next((named[word] for word in TRAIN if word in named), None)
        val = next((named[word] for word in VAL if word in named), None)
        if train is not None and val is not None and (name := time_column(train)) and time_column(val) == name:
            yield name, _values(train, name), _values(val, name)
        return
    name, split = time_column(frame), _named(frame, SPLITS)
    if name is None or split is None:
        return
    words = [str(word).lower() for word in column(frame, split).to_list()]
    both = [pair for pair in zip(column(frame, name).to_list(), words, strict=True) if pair[0] is not None]
    yield name, [time for time, word in both if word in TRAIN], [time for time, word in both if word in VAL]


def _named(frame: Any, words: tuple[str, ...]) -> str | None:
    seen = outline(frame)
    here = {name.lower(): name for name in (*seen.index, *seen.columns)}
    return next((here[word] for word in words if word in here), None)


def time_column(frame: Any) -> str | None:
    """By its type, else by its name."""
    seen = outline(frame)
    typed = (name for name in (*seen.index, *seen.columns) if column(frame, name).dtype.is_temporal())
    return next(typed, None) or _named(frame, TIMES)


def _values(frame: Any, name: str) -> list[Any]:
    return [value for value in column(frame, name).to_list() if value is not None]


def order(name: str, train: list[Any], val: list[Any]) -> TimeOrder:
    last = max(train)
    belongs = torch.tensor([part for _, part in sorted([(t, 0) for t in train] + [(t, 1) for t in val])])
    return TimeOrder(
        column=name,
        train_rows=len(train),
        val_rows=len(val),
        train_first=str(min(train)),
        train_last=str(last),
        val_first=str(min(val)),
        val_last=str(max(val)),
        before_last=sum(time <= last for time in val) / len(val),
        interleaved=float((belongs[1:] != belongs[:-1]).double().mean()) if len(belongs) > 1 else 0.0,
    )
