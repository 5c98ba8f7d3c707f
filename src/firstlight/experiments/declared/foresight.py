"""Features of a table in order of time, computed again without its later rows: what changes came from the future."""

from collections.abc import Mapping
from typing import Any

import torch

from firstlight.errors import UsageError
from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.experiments.declared.surroundings import columns_of
from firstlight.experiments.declared.times import time_column
from firstlight.observe.frames import column
from firstlight.records.declared import ColumnAhead, FeaturesAhead

CUTS = (0.53, 0.79)
"""Shares of the rows that are left; a feature must change at both."""
LEAST_ROWS = 40
MOST_COLUMNS = 20
SAME = 1e-4
"""Of a column's spread: sums taken in another order differ by less."""
ANSWERS = ("target", "label", "y")
"""Columns so named, or beginning so, are what is predicted, and may come from the future."""
Columns = dict[str, torch.Tensor]


def foresight(bench: Bench) -> None:
    experiment = bench.experiment
    clock, rows = _clock(experiment.frame)
    if clock is None or rows < LEAST_ROWS:
        return
    whole = _made(bench, experiment.frame, seed=0)
    random = {name for name, other in _made(bench, experiment.frame, seed=1).items() if _changed(whole, name, other)}
    asked = [name for name in whole if name not in random and not name.lower().startswith(ANSWERS)]
    found: list[dict[str, ColumnAhead]] = []
    cuts = [int(share * rows) for share in CUTS]
    for cut in cuts:
        part = _made(bench, first(experiment.frame, cut), seed=0)
        ahead = ((name, _changed(whole, name, part[name])) for name in asked if name in part)
        found.append({name: _ahead(name, rows_back, len(part[name])) for name, rows_back in ahead if rows_back})
    both = [found[-1][name] for name in found[-1] if name in found[0]]
    bench.emit(
        FeaturesAhead(
            time=clock, rows=rows, cut=cuts[-1], columns=tuple(both[:MOST_COLUMNS]), site=line_of(experiment.features)
        )
    )


def _clock(frame: Any) -> tuple[str | None, int]:
    """The name of the time, where the rows are in its order, and their number."""
    name, times = _times(frame)
    if name is None or any(time is None for time in times):
        return None, 0
    in_order = all(times[i] <= times[i + 1] for i in range(len(times) - 1))
    return (name, len(times)) if in_order else (None, 0)


def _times(frame: Any) -> tuple[str | None, list[Any]]:
    index: Any = getattr(frame, "index", None)
    if getattr(getattr(index, "dtype", None), "kind", "") == "M":
        return "the index", index.to_list()
    if isinstance(frame, Mapping) and any(hasattr(part, "columns") for part in frame.values()):
        return None, []  # tables of several splits
    try:
        name = time_column(frame)
    except UsageError:  # no table
        return None, []
    return name, column(frame, name).to_list() if name is not None else []


def first(frame: Any, rows: int) -> Any:
    """Its first rows, as a table of the same kind."""
    if isinstance(frame, Mapping):
        return {name: values[:rows] for name, values in frame.items()}
    if hasattr(frame, "iloc"):
        return frame.iloc[:rows].copy()
    return frame.slice(0, rows) if hasattr(frame, "slice") else frame[:rows]


def _made(bench: Bench, frame: Any, seed: int) -> Columns:
    assert bench.experiment.features is not None
    bench.seed(seed)
    with using("features", "computing them from the first rows of `frame`"):
        return columns_of(bench.experiment.features(frame))


def _changed(whole: Columns, name: str, part: torch.Tensor) -> list[int]:
    """Rows whose value is another than in the whole; a value that was not there yet is one of these."""
    full = whole[name][: len(part)]
    part = part[: len(full)]
    kept = full[torch.isfinite(full)]
    room = SAME * float(kept.std()) if len(kept) > 1 else 0.0
    missing = torch.isnan(full) != torch.isnan(part)
    apart = (full - part).abs() > room
    found: list[int] = (missing | apart).nonzero().flatten().tolist()
    return found


def _ahead(name: str, changed: list[int], rows: int) -> ColumnAhead:
    return ColumnAhead(name=name, changed=len(changed), of=rows, farthest=rows - changed[0])
