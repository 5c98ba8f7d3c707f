"""Metrics of runs that are over: tables of text, and folders in which each run has left one."""

import csv
import io
import math
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import UsageError
from firstlight.records import wire
from firstlight.records.trials import FinishedRun
from firstlight.store import plain_files

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
SEEDS = ("seed", "run", "run_id", "trial")
"""Columns that tell runs apart, so that those of one seed are compared with each other."""
VARIANTS = ("variant", "group", "method", "config", "name")
NO_STEPS = ("report.json", "lab.json", "session.json")
"""What stands beside the log in a run directory of ours."""
MOST_BYTES = 64 << 20

Row = dict[str, Any]


def is_table(word: str) -> bool:
    path = Path(word)
    return path.suffix in SUFFIXES and path.is_file()


def is_folder_of_runs(word: str) -> bool:
    path = Path(word)
    return path.is_dir() and not (path / "__main__.py").is_file()


def read(word: str) -> dict[str, list[FinishedRun]]:
    """The runs by their variant; a table or folder without a column for that is one variant, by its own name."""
    path = Path(word)
    if path.is_dir():
        return {word: _of_folder(path)}
    rows = rows_of(path)
    if not rows:
        raise UsageError(f"{word} has no rows.")
    column = next((name for name in VARIANTS if name in rows[0]), None)
    found: dict[str, list[FinishedRun]] = {}
    for at, row in enumerate(rows):
        name = str(row[column]) if column is not None else word
        found.setdefault(name, []).append(_of_row(name, row, at))
    return found


def rows_of(path: Path) -> list[Row]:
    text = plain_files.contents(path, MOST_BYTES, follow=True).decode("utf-8-sig", "replace")
    try:
        if path.suffix in (".csv", ".tsv"):
            delimiter = "\t" if path.suffix == ".tsv" else ","
            return [dict(row) for row in csv.DictReader(io.StringIO(text), delimiter=delimiter)]
        if path.suffix == ".json":
            plain = msgspec.json.decode(text)
            return [row for row in (plain if isinstance(plain, list) else [plain]) if isinstance(row, dict)]
        plain = [msgspec.json.decode(line) for line in text.splitlines() if line.strip()]
        return [row for row in plain if isinstance(row, dict)]
    except (msgspec.DecodeError, csv.Error) as problem:
        raise UsageError(f"{path} is not a table: {problem}.") from None


def _of_row(name: str, row: Row, at: int) -> FinishedRun:
    seed = next((number for key in SEEDS if (number := _number(row.get(key))) is not None), None)
    values: dict[str, tuple[float, ...]] = {
        key: (number,) for key, text in row.items() if key not in SEEDS and (number := _number(text)) is not None
    }
    return FinishedRun(name=name, seed=at if seed is None or not seed.is_integer() else int(seed), values=values)


def _of_folder(folder: Path) -> list[FinishedRun]:
    """Each table in it, or in a folder of it, is one run; its rows are the run's steps."""
    every = sorted((*folder.glob("*"), *folder.glob("*/*")))
    tables = [path for path in every if is_table(str(path)) and path.name not in NO_STEPS]
    found = [_of_steps(str(folder), rows_of(path), at) for at, path in enumerate(tables)]
    found = [trial for trial in found if trial.values]
    if not found:
        raise UsageError(
            f"{folder} has no run that reports a number. A run is a table in it ({', '.join(SUFFIXES)}) with one row "
            "per step."
        )
    return found


def _of_steps(name: str, rows: list[Row], at: int) -> FinishedRun:
    curves: dict[str, list[float]] = {}
    for row in rows:
        for key, text in row.items():
            if (number := _number(text)) is not None:
                curves.setdefault(str(key), []).append(number)
    seed = curves.pop("seed", [math.nan])[-1]
    values = {key: tuple(numbers) for key, numbers in curves.items()}
    return FinishedRun(name=name, seed=int(seed) if math.isfinite(seed) else at, values=values)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return float(value.replace("_", "x"))
        except ValueError:
            return None
    return wire.number(value)
