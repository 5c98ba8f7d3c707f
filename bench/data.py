"""Seconds and peak memory of `firstlight data`, from 1e5 rows up, beside a plain pandas script and Deepchecks.

    python bench/data.py --rows 100000 1000000 [--deepchecks PYTHON] [--output bench/results/data.md]

Deepchecks needs older libraries than ours: `--deepchecks` names the Python of an environment that has it
(`pip install deepchecks "numpy<2" "scikit-learn<1.5" "pandas<2.3" "category_encoders<2.7" "pyarrow<18"`).

Each cell is a process of its own, on one thread; its peak and its CPU time are what the kernel counted. One that takes
longer than `--most-seconds` is ended, and so is one that the machine has no memory for: its row says so. The pandas script does what many do by hand: reads
both files, counts missing values and duplicates, merges the splits to find shared rows, and describes each column. It does
not ask what columns know of the target, which labels are doubtful, what is nearly equal, or what drifted.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

COLUMNS = 20
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_NUM_THREADS"), "1")
PANDAS = """
import pandas as pd
train, val = pd.read_parquet("train.parquet"), pd.read_parquet("val.parquet")
for frame in (train, val):
    frame.isna().mean(), frame.nunique(), frame.describe(include="all"), frame.duplicated().sum()
inputs = [name for name in train if name not in ("y", "id")]
val.merge(train[inputs].drop_duplicates(), on=inputs).shape
train.groupby("y").size()
"""
DEEPCHECKS = """
import pandas as pd
from deepchecks.tabular import Dataset
from deepchecks.tabular.suites import data_integrity, train_test_validation
train, val = (Dataset(pd.read_parquet(f), label="y", index_name="id", cat_features=["kind"]) for f in ("train.parquet", "val.parquet"))
data_integrity().run(train)
train_test_validation().run(train, val)
"""


def make(rows: int, folder: Path) -> None:
    """In pieces, so that any size can be made: numbers, a category, a target, and a number for each row."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(0)
    for name, count in (("train", rows * 4 // 5), ("val", rows - rows * 4 // 5)):
        writer = None
        for first in range(0, count, 500_000):
            size = min(500_000, count - first)
            numbers = draw.normal(size=(COLUMNS - 3, size)).astype("float32")
            columns = {f"x{place}": column for place, column in enumerate(numbers)}
            columns["kind"] = draw.choice(["a", "b", "c", "d"], size)
            columns["y"] = (numbers[0] + numbers[1] + 0.5 * draw.normal(size=size) > 0).astype("int8")
            table = pa.table(columns | {"id": np.arange(first, first + size)})
            writer = writer or pq.ParquetWriter(folder / f"{name}.parquet", table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def measured(command: list[str], folder: Path, most_seconds: float) -> str:
    """The cells of one row: seconds, CPU seconds, peak MB, and how it ended."""
    begun = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env=os.environ | ONE_THREAD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    late = threading.Timer(most_seconds, process.kill)
    late.start()
    _, status, usage = os.wait4(process.pid, 0)
    late.cancel()
    seconds, code = time.monotonic() - begun, os.waitstatus_to_exitcode(status)
    process.returncode = code  # it was waited for here, not by the object
    ended = "done" if code == 0 else f"exit {code}" if code > 0 else "too long" if seconds >= most_seconds else "killed"
    cpu = usage.ru_utime + usage.ru_stime
    return f"{seconds:.1f} | {cpu:.1f} | {usage.ru_maxrss / 1024:,.0f} | {ended}"


def commands(deepchecks: Path | None) -> dict[str, list[str]]:
    words = ["train.parquet", "--val", "val.parquet", "--target", "y"]
    found = {
        "firstlight data": [sys.executable, "-m", "firstlight", "data", *words],
        "pandas by hand": [sys.executable, "-c", PANDAS],
    }
    if deepchecks is not None:
        found["Deepchecks"] = [str(deepchecks), "-c", DEEPCHECKS]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--deepchecks", type=Path, metavar="PYTHON")
    parser.add_argument("--others-up-to", type=int, default=10_000_000, help="rows beyond which only ours is run")
    parser.add_argument("--most-seconds", type=float, default=1800.0)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    lines = ["| rows | file MB | what | seconds | CPU s | peak MB | end |", "|---:|---:|---|---:|---:|---:|---|"]
    for rows in asked.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(rows, folder)
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
            found = commands(asked.deepchecks)
            for what, command in list(found.items())[: None if rows <= asked.others_up_to else 1]:
                lines.append(f"| {rows:,} | {size:,.0f} | {what} | {measured(command, folder, asked.most_seconds)} |")
                print(lines[-1], flush=True)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"
    text = (
        f"# `firstlight data` on {COLUMNS} columns\n\nBy `bench/data.py`, which says how, on one thread of {machine}, "
    )
    text += f"Python {platform.python_version()}, load {os.getloadavg()[0]:.0f}.\n\n" + "\n".join(lines) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
