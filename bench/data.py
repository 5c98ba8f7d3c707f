"""Seconds and peak memory of `firstlight data`, from 1e5 rows up, beside a plain pandas script and Deepchecks.

    python bench/data.py --rows 100000 1000000 [--deepchecks PYTHON] [--output bench/results/data.md]

Deepchecks needs older libraries than ours: `--deepchecks` names the Python of an environment that has it and pyarrow.

Each cell is a process of its own; its peak is what the kernel counted. The pandas script does what many do by hand: reads
both files, counts missing values and duplicates, merges the splits to find shared rows, and describes each column. It does
not ask what columns know of the target, which labels are doubtful, what is nearly equal, or what drifted.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = 20
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


def measured(command: list[str], folder: Path) -> tuple[float, float, int]:
    """Seconds, peak MB and exit code."""
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return time.monotonic() - begun, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


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
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    lines = ["| rows | file MB | what | seconds | peak MB | exit |", "|---:|---:|---|---:|---:|---:|"]
    for rows in asked.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(rows, folder)
            size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
            for what, command in commands(asked.deepchecks).items():
                seconds, peak, code = measured(command, folder)
                lines.append(f"| {rows:,} | {size:.0f} | {what} | {seconds:.1f} | {peak:.0f} | {code} |")
                print(lines[-1], flush=True)
    text = f"# `firstlight data`, {COLUMNS} columns, {os.cpu_count()} cores\n\n" + "\n".join(lines) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
