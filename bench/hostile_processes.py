"""Kills checks with SIGKILL at random moments, and lets checked scripts leave daemons behind; counts what is left.

    python bench/hostile_processes.py [KILLS] [CHECKS] [SEED]

The script leaves two daemons and a child in a session of its own. It trains nothing, so that a check takes little: what
is tried is how processes and folders end. A row says how often; nothing is rounded up to what was asked for.
"""

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import psutil

SCRIPT = """
import os, subprocess, time
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
subprocess.Popen(["sleep", "3600"], start_new_session=True)
open("written.txt", "w").write("x")
time.sleep({seconds})
"""
MOST_SECONDS = 3.0
"""After which a check is killed, at the latest."""
PATIENCE = 15.0


def alive(mark: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("MARK") == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def left(mark: str) -> int:
    until = time.monotonic() + PATIENCE
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.05)
    return len(alive(mark))


def check(folder: Path, seconds: float, mark: str) -> "subprocess.Popen[bytes]":
    (folder / "train.py").write_text(SCRIPT.format(seconds=seconds), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "firstlight", "check", "--profile", "quick", "train.py"],
        cwd=folder,
        env={**os.environ, "MARK": mark, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def leftovers(folder: Path) -> list[str]:
    found = (
        *folder.glob(".firstlight/runs/*/scratch"),
        *folder.glob(".firstlight/runs/*/timelines"),
        *(folder / "tmp").glob("fl-*"),
    )
    return [str(path.relative_to(folder)) for path in found]


def killed(times: int, chance: random.Random) -> dict[str, int]:
    """All in one folder, as somebody would who tries again; a last check that is not killed collects what is left."""
    total = {"tried": times, "orphans": 0, "folders": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        for _ in range(times):
            mark = uuid.uuid4().hex
            process = check(folder, 60.0, mark)
            time.sleep(chance.uniform(0.0, MOST_SECONDS))
            process.kill()
            process.wait()
            total["orphans"] += left(mark) > 0
        check(folder, 0.0, uuid.uuid4().hex).wait()
        total["folders"] = len(leftovers(folder))
        total["changed"] = (folder / "written.txt").exists()
    return total


def whole(times: int) -> dict[str, int]:
    total = {"tried": times, "orphans": 0, "folders": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        for _ in range(times):
            mark = uuid.uuid4().hex
            check(folder, 0.0, mark).wait()
            total["orphans"] += len(alive(mark)) > 0
            total["folders"] += len(leftovers(folder)) > 0
        total["changed"] = (folder / "written.txt").exists()
    return total


def main(kills: int, checks: int, seed: int) -> None:
    cut, done = killed(kills, random.Random(seed)), whole(checks)
    rows = [
        {"what": "checks killed with SIGKILL: no process of theirs is left", "tried": kills, "held": kills - cut["orphans"], "note": f"killed between 0 and {MOST_SECONDS} s"},
        {"what": "the folders they left are collected by the next check", "tried": kills, "held": kills - cut["folders"], "note": ""},
        {"what": "checks to their end: no process of theirs is left", "tried": checks, "held": checks - done["orphans"], "note": "each script leaves two daemons and a child in a session of its own"},
        {"what": "checks to their end: no folder is left", "tried": checks, "held": checks - done["folders"], "note": ""},
        {"what": "the file they all wrote is not in the user's folder", "tried": 2, "held": 2 - cut["changed"] - done["changed"], "note": ""},
    ]  # fmt: skip
    told = {
        "part": "processes",
        "machine": f"Linux {platform.release()}, Python {platform.python_version()}, {os.cpu_count()} cores under load",
        "floor": "",
        "tried": kills + checks,
        "lost": cut["orphans"] + done["orphans"],
        "rows": rows,
    }
    (Path(__file__).parent / "results/reliability-processes.json").write_text(
        json.dumps(told, indent=1) + "\n", encoding="utf-8"
    )
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [100, 1000, 0][len(numbers) :]))
