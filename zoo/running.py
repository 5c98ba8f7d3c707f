"""Runs a program or a mutant in a fresh folder, on one thread, with a time limit, and reads its metric."""

import functools
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from zoo.records import Metric

SEEDS = Path(__file__).parent / "seeds"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONDONTWRITEBYTECODE": "1"}
NOT_A_NUMBER = r"[-+]?(?:nan|inf)|"

Ending = Literal["number", "not-a-number", "no-metric", "crashed", "timed-out"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run of a program ended."""

    ending: Ending
    metric: float | None
    """Only where the ending is `number`."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    """How one process ended."""

    code: int | None
    """None if it ran past its time limit and was ended."""
    stdout: str
    stderr: str
    seconds: float


class InterruptedRunError(Exception):
    """The run was ended by `end_all`: how it ended says nothing about the program."""


_live: dict[int, bool] = {}
"""The process groups that are running, and whether `end_all` ended them."""
_live_lock = threading.Lock()


@contextmanager
def copied(files: Mapping[str, str]) -> Iterator[Path]:
    """A fresh folder with these files, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="zoo-"))
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_program(
    files: Mapping[str, str], command: Sequence[str], metric: Metric, seed: int, limit_seconds: float
) -> Outcome:
    with copied(files) as folder:
        ended = execute((sys.executable, *command), folder, environment(seed), limit_seconds)
    if ended.code is None:
        return Outcome("timed-out", None, ended.seconds)
    if ended.code != 0:
        return Outcome("crashed", None, ended.seconds)
    return measured(ended.stdout, metric.pattern, ended.seconds)


def measured(output: str, pattern: str, seconds: float) -> Outcome:
    """The last match of the pattern counts, `nan` and `inf` included whatever the pattern's group allows."""
    matches = list(_widened(pattern).finditer(output))
    try:
        value = float(matches[-1].group(1)) if matches else None
    except ValueError:
        value = None
    if value is None:
        return Outcome("no-metric", None, seconds)
    if not math.isfinite(value):
        return Outcome("not-a-number", None, seconds)
    return Outcome("number", value, seconds)


@functools.cache
def _widened(pattern: str) -> re.Pattern[str]:
    """The pattern, whose one group matches what is not a number too."""
    in_class = escaped = False
    for at, letter in enumerate(pattern):
        if escaped:
            escaped = False
            continue
        if letter == "(" and not in_class and pattern[at + 1 : at + 2] != "?":
            return re.compile(f"{pattern[: at + 1]}{NOT_A_NUMBER}{pattern[at + 1 :]}")
        escaped = letter == "\\"
        in_class = letter == "[" or (in_class and letter != "]")
    return re.compile(pattern)


def environment(seed: int, folder_of_commands: Path | None = None) -> dict[str, str]:
    """What a program sees of the outside: one thread, no network, and the seed (0 leaves the program untouched)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ZOO_"))}
    made = kept | ONE_THREAD | OFFLINE
    if folder_of_commands is not None:
        made["PATH"] = f"{folder_of_commands}{os.pathsep}{kept.get('PATH', '')}"
    if seed:
        made |= {"ZOO_SEED": str(seed), "PYTHONPATH": str(SEEDS)}
    return made


def execute(words: Sequence[str], folder: Path, env: Mapping[str, str], limit_seconds: float) -> Ended:
    """Runs a command in a process group of its own, which is ended as a whole."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        with _live_lock:
            _live[process.pid] = False
        try:
            code: int | None = process.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_group(process.pid)
            process.wait()
            with _live_lock:
                interrupted = _live.pop(process.pid)
        if interrupted:
            raise InterruptedRunError
        return Ended(code, _text(out), _text(err), time.perf_counter() - begun)


def end_all() -> None:
    """Ends whatever `execute` is running at this moment."""
    with _live_lock:
        for group in _live:
            _live[group] = True
            _end_group(group)


def _end_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
