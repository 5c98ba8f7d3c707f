"""How fast `firstlight log validate` reads a log, and how much memory it takes for it, whatever the size.

    python bench/log_validate.py [--gigabytes 1]

The log is made on the fly: two ranks, steps with telemetry, an epoch every thousand steps. Each size is read by a process of
its own, whose peak memory is reported; a second log has a fault in every hundredth line.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

READER = """
import json, resource, sys, time
from pathlib import Path
from firstlight.checks.catalogue import CATALOGUE
from firstlight.logs import validate
wall, cpu = time.perf_counter(), time.process_time()
report = validate(Path(sys.argv[1]), "core", CATALOGUE)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([wall, cpu, peak, report.verdict.value, report.coverage.ended]))
"""
DECODER = """
import sys, time, msgspec
data = open(sys.argv[1], "rb").read(64 << 20)
data = data[: data.rindex(b"\\n") + 1]
decoder = msgspec.json.Decoder()
best = 1e9
for _ in range(3):
    begun = time.process_time()
    decoder.decode_lines(data)
    best = min(best, time.process_time() - begun)
print(len(data) / best / 1e6)
"""
HEAD = '"run_id":"20261115-120000-abc123","schema":"firstlight/1"'


def lines(step: int, faulty: bool) -> str:
    """What two ranks write in one step."""
    seconds, rest = divmod(step, 1000)
    ts = f"2026-11-{1 + seconds // 86400:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}Z"
    loss = "null" if not faulty or step % 50 else '"high"'
    told = "".join(
        f'{{"phase":"step","event":"step","ts":"{ts}",{HEAD},"seq":{2 * step + 1},"rank":{rank},"step":{step},'
        f'"loss":{2.3 / (1 + step) if loss == "null" else loss},"lr":0.001,"grad_norm":1.2345,"data_wait_s":0.0012,"step_s":0.0301}}\n'
        for rank in (0, 1)
    )
    if step % 1000 == 999:
        told += (
            f'{{"phase":"epoch_complete","event":"epoch_complete","ts":"{ts}",{HEAD},"seq":{2 * step + 2},"rank":0,'
            f'"epoch":{step // 1000},"train_loss":0.5,"val_loss":0.6}}\n'
        )
    return told


def write(path: Path, size: int, faulty: bool = False) -> None:
    with path.open("w") as file:
        file.write(
            f'{{"phase":"run_start","event":"run_start","ts":"2026-11-01T00:00:00.000Z",{HEAD},"seq":0,"argv":[],'
            '"cwd_hash":"","git":null,"env":{},"seed":null}\n'
        )
        step = 0
        while file.tell() < size:
            file.write("".join(lines(step + i, faulty) for i in range(1000)))
            step += 1000


def read(path: Path) -> str:
    done = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=True)
    wall, cpu, peak, verdict, ended = json.loads(done.stdout)
    size = path.stat().st_size / 1e6
    return f"| {size:,.0f} MB | {size / wall:,.0f} | {size / cpu:,.0f} | {peak:,.0f} MB | {verdict} | {ended} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    options = parser.parse_args()
    print("| log | MB/s | MB/s of CPU time | peak memory of the process | verdict | read |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ndjson"
        for share in (0.01, 0.1, 1.0):
            write(path, int(share * options.gigabytes * 1e9))
            print(read(path), flush=True)
        alone = subprocess.run([sys.executable, "-c", DECODER, str(path)], capture_output=True, text=True, check=True)
        write(path, int(0.1 * options.gigabytes * 1e9), faulty=True)
        print(read(path))
    print(
        f"\nmsgspec decoding the same lines to dictionaries, and nothing else: {float(alone.stdout):,.0f} MB/s of CPU time"
    )
    print(time.strftime("%Y-%m-%d"))


if __name__ == "__main__":
    main()
