"""How fast `firstlight log validate` reads a log, and how much memory it takes for it, whatever the size.

    python bench/log_validate.py [--gigabytes 10]

The log goes through a pipe and is never on disk: two ranks, steps with telemetry, an epoch every thousand steps. Each size
is read by a process of its own, whose peak memory is reported; the last log has a fault in every hundredth line. A tenth of
the largest is then read from a file, by one process and by as many as there are cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

READER = """
import json, resource, sys, time
from pathlib import Path
from firstlight.checks.catalogue import CATALOGUE
from firstlight.logs import validate
wall, cpu = time.perf_counter(), time.process_time()
report = validate(Path("-"), "core", CATALOGUE)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([wall, cpu, peak, report.verdict.value, report.coverage.ended]))
"""
FILE_READER = """
import json, resource, sys, time
from pathlib import Path
from firstlight.checks.catalogue import CATALOGUE
from firstlight.logs import validate
from firstlight.observe.log import ahead
if sys.argv[2] == "one":
    ahead.LONG = 1 << 60
begun = time.perf_counter()
report = validate(Path(sys.argv[1]), "core", CATALOGUE)
wall = time.perf_counter() - begun
peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps([wall, *peaks, report.verdict.value]))
"""
DECODER = """
import sys, time, msgspec
data = sys.stdin.buffer.read()
decoder = msgspec.json.Decoder()
best = 1e9
for _ in range(3):
    begun = time.process_time()
    decoder.decode_lines(data)
    best = min(best, time.process_time() - begun)
print(len(data) / best / 1e6)
"""
HEAD = '"run_id":"20261115-120000-abc123","schema":"firstlight/1"'
STEPS = 1000
"""In a block, which stands for one second and one epoch."""
FIRST = 1_000_000
"""The number of the first block, so that all numbers have the same length."""
NUMBER, CLOCK = "@NUMBER", "@CLOCK@"


def block(faulty: bool) -> str:
    """What two ranks write in one second, with marks for what changes from second to second."""
    told = []
    for step in range(STEPS):
        loss = '"high"' if faulty and step % 50 == 0 else 2.3 / (1 + step)
        told += [
            f'{{"phase":"step","event":"step","ts":"{CLOCK}.{step:03d}Z",{HEAD},"seq":{NUMBER}{2 * step:04d},"rank":{rank},'
            f'"step":{NUMBER}{step:03d},"loss":{loss},"lr":0.001,"grad_norm":1.2345,"data_wait_s":0.0012,"step_s":0.0301}}\n'
            for rank in (0, 1)
        ]
    told.append(
        f'{{"phase":"epoch_complete","event":"epoch_complete","ts":"{CLOCK}.999Z",{HEAD},"seq":{NUMBER}{2 * STEPS:04d},'
        f'"rank":0,"epoch":{NUMBER},"train_loss":0.5,"val_loss":0.6}}\n'
    )
    return "".join(told)


def written(size: int, faulty: bool) -> Iterator[bytes]:
    start = (
        f'{{"phase":"run_start","event":"run_start","ts":"2026-11-01T00:00:00.000Z",{HEAD},"seq":0,"argv":[],'
        '"cwd_hash":"","git":null,"env":{},"seed":null}\n'
    )
    yield start.encode()
    pattern, count, seconds = block(faulty).encode(), len(start), 0
    while count < size:
        clock = (
            f"2026-11-{1 + seconds // 86400:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        )
        part = pattern.replace(CLOCK.encode(), clock.encode()).replace(NUMBER.encode(), str(FIRST + seconds).encode())
        yield part
        count, seconds = count + len(part), seconds + 1


def read(program: str, size: int, faulty: bool = False) -> tuple[str, int]:
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    count = 0
    with process.stdin as pipe:
        for part in written(size, faulty):
            pipe.write(part)
            count += len(part)
    told = process.stdout.read().decode()
    if process.wait():
        raise SystemExit(f"the reader ended with {process.returncode}")
    return told, count


def row(size: int, faulty: bool = False) -> str:
    told, count = read(READER, size, faulty)
    wall, cpu, peak, verdict, ended = json.loads(told)
    read_in = f"| {count / wall / 1e6:,.0f} | {count / cpu / 1e6:,.0f} | {peak:,.0f} MB |"
    return f"| {count / 1e6:,.0f} MB{', faulty' if faulty else ''} {read_in} {verdict} | {ended} |"


def from_file(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ndjson"
        with path.open("wb") as file:
            file.writelines(written(size, faulty=False))
        count = path.stat().st_size
        print("\n| from a file | MB/s | peak memory, of each helper | verdict |\n|---|---|---|---|")
        for which in ("one", "several", "one", "several"):
            command = [sys.executable, "-c", FILE_READER, str(path), which]
            wall, peak, helpers, verdict = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            name = "one process" if which == "one" else f"helped by {os.cpu_count()} processes"
            print(
                f"| {count / 1e6:,.0f} MB, {name} | {count / wall / 1e6:,.0f} | {peak:,.0f}, {helpers:,.0f} MB | {verdict} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    options = parser.parse_args()
    print("| log | MB/s | MB/s of CPU time | peak memory of the process | verdict | read |")
    print("|---|---|---|---|---|---|")
    largest = int(options.gigabytes * 1e9)
    for size in (largest // 1000, largest // 100, largest // 10, largest):
        print(row(size), flush=True)
    print(row(largest // 100, faulty=True), flush=True)
    from_file(largest // 10)
    alone, _ = read(DECODER, 64_000_000)
    print(f"\nmsgspec decoding the same lines to dictionaries, and nothing else: {float(alone):,.0f} MB/s of CPU time")
    print(time.strftime("%Y-%m-%d"))


if __name__ == "__main__":
    main()
