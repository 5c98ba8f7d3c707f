"""What surrounds the model: how much data there is, whether features can be computed and the log written."""

import contextlib
import json
import math
import os
import shutil
import time
from pathlib import Path
from typing import Any

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, unusable, using
from firstlight.records.declared import FeaturesMade, Loaded, LogTried

MOST_EXAMPLES = 20_000
SECONDS = 4.0
MOST_COLUMNS = 20


def loading(bench: Bench) -> None:
    """Reads each split for a while, and counts."""
    size = sum(p.numel() for p in bench.model().parameters() if p.requires_grad)
    for split in ("train", "val"):
        loader = getattr(bench.experiment, split)
        if loader is None:
            continue
        examples = batches = 0
        whole = True
        deadline = time.monotonic() + SECONDS
        for batch in bench.read(split):
            examples, batches = examples + (batch.examples or 0), batches + 1
            if examples >= MOST_EXAMPLES or time.monotonic() > deadline:
                whole = False
                break
        if not batches:
            raise unusable(split, "reading an epoch", "it is empty: there is no batch in it")
        if not examples:
            continue  # how many there are is known to `step` alone
        declared = _length(getattr(loader, "dataset", None))
        per_batch = getattr(loader, "batch_size", None)
        drops = bool(getattr(loader, "drop_last", False)) and declared is not None and whole
        bench.emit(
            Loaded(
                split=split,
                examples=examples,
                batches=batches,
                whole=whole,
                declared=declared,
                batch_size=per_batch if isinstance(per_batch, int) else None,
                dropped=max(0, (declared or 0) - examples) if drops else 0,
                parameters=size,
            )
        )


def _length(data: Any) -> int | None:
    try:
        return len(data)
    except TypeError:
        return None


def log_tried(bench: Bench) -> None:
    """An event where the run will log: written beside what is there already, synced, read back, removed again.

    A folder that does not exist yet is one the run will make: asked is the nearest one above it.
    """
    path = Path(os.fspath(bench.experiment.log or ""))
    folder = next(above for above in path.absolute().parents if above.exists())
    probe = folder / f".{path.name}.firstlight-{os.getpid()}"
    written = read_back = False
    error = ""
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a directory")
        with probe.open("w", encoding="utf-8") as file:
            file.write(json.dumps({"event": "poc_start", "timestamp": time.time()}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        written = True
        read_back = json.loads(probe.read_text(encoding="utf-8"))["event"] == "poc_start"
        if path.exists() and not os.access(path, os.W_OK):
            written, error = False, f"{path} exists and cannot be written"
    except OSError as problem:
        error = f"{type(problem).__name__}: {problem.strerror or problem}"
    except ValueError as problem:
        error = f"{type(problem).__name__}: {problem}"
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    free = shutil.disk_usage(folder).free
    bench.emit(LogTried(path=str(path), written=written, read_back=read_back, free_bytes=free, error=error))


def features(bench: Bench) -> None:
    """Computed twice from the declared table."""
    experiment = bench.experiment
    assert experiment.features is not None
    with using("features", "computing them from `frame`"):
        bench.seed()
        made = experiment.features(experiment.frame)
        bench.seed()
        again = experiment.features(experiment.frame)
    columns, other = columns_of(made), columns_of(again)
    if not columns:
        raise unusable("features", "computing them", f"they gave a {type(made).__name__} without numeric columns")
    bad = {name: _bad_share(values) for name, values in columns.items()}
    bench.emit(
        FeaturesMade(
            rows_in=_length(experiment.frame) or 0,
            rows_out=max(map(len, columns.values())),
            columns=tuple(columns)[:MOST_COLUMNS],
            nonfinite=tuple(name for name, share in bad.items() if share)[:MOST_COLUMNS],
            constant=tuple(name for name, values in columns.items() if _constant(values))[:MOST_COLUMNS],
            worst_share=max(bad.values()),
            repeatable=columns.keys() == other.keys()
            and all(torch.equal(torch.nan_to_num(columns[n]), torch.nan_to_num(other[n])) for n in columns),
            site=line_of(experiment.features),
        )
    )


def columns_of(made: Any) -> dict[str, torch.Tensor]:
    """Numeric columns by name: of a table, a mapping of arrays, a tensor or an array."""
    if isinstance(made, tuple) and made:
        made = made[0]
    if hasattr(made, "columns"):
        named = {str(name): made[name] for name in made.columns}
    elif isinstance(made, dict):
        named = {str(name): values for name, values in made.items()}
    else:
        try:
            table = torch.as_tensor(made.copy() if hasattr(made, "setflags") else made)
        except (TypeError, ValueError, RuntimeError):
            return {}
        flat = table.reshape(len(table), -1) if table.ndim else table.reshape(1, 1)
        named = {str(index): flat[:, index] for index in range(min(flat.shape[1], MOST_COLUMNS))}
    found = {}
    for name, values in named.items():
        try:
            found[name] = _numbers(values)
        except (TypeError, ValueError, RuntimeError):
            continue  # not a column of numbers
    return found


def _numbers(values: Any) -> torch.Tensor:
    """A copy: torch warns of arrays that may not be written to, and a table's own may not."""
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    return torch.as_tensor(array.copy() if hasattr(array, "setflags") else array).double().flatten()


def _bad_share(values: torch.Tensor) -> float:
    return float((~torch.isfinite(values)).double().mean()) if values.numel() else math.nan


def _constant(values: torch.Tensor) -> bool:
    kept = values[torch.isfinite(values)]
    return kept.numel() > 1 and bool((kept == kept[0]).all())
