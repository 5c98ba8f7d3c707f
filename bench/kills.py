"""Kills guarded runs at random moments, with everything that belongs to them, and reads what is left.

    python bench/kills.py [TIMES] [SEED]

Each run trains for some seconds, saving a checkpoint of its own again and again, and trips the guard on the way, so
that kills fall into the log, into an artifact and into the program's own files alike. Prints a table in Markdown.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from firstlight.errors import FirstlightError
from firstlight.store import artifacts
from firstlight.store.event_log import LineReader

PROGRAM = """
import os, time, torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
print("begun", flush=True)
for step in range(100_000):
    x = torch.randn(32, 64) if step != 40 else torch.full((32, 64), torch.inf)
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    if step % 10 == 0:
        torch.save(model.state_dict(), "weights.partial")
        os.replace("weights.partial", "weights.pt")
"""
MOST_SECONDS = 3.0
"""After training began; the flag and its artifact fall into this time."""


def killed(folder: Path, after: float) -> None:
    (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "firstlight", "run", "--no-check", "--keep", "host", "--keep-every", "1", "train.py"],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def left(folder: Path) -> Counter[str]:
    import torch

    found: Counter[str] = Counter()
    (run,) = folder.glob(".firstlight/runs/*")
    reader = LineReader(run / "events.ndjson")
    steps = [event["step"] for event in reader.new() if event["phase"] == "step"]
    found["log readable"] += reader.broken == []
    found["steps in order"] += steps == sorted(set(steps))
    found["last line torn"] += bool(reader.torn)
    for artifact in run.glob("artifacts/[!.]*"):
        found["artifacts"] += 1
        try:
            whole = artifacts.read(artifact)
            found["artifacts whole"] += all(whole.tensors(part) is not None for part in whole.manifest.parts)
        except FirstlightError:
            found["artifacts broken"] += 1
    found["half-written artifacts, under a name of their own"] += sum(1 for _ in run.glob("artifacts/.*"))
    weights = folder / "weights.pt"
    if weights.exists():
        torch.load(weights, weights_only=True)
        found["the program's own checkpoint loads"] += 1
    return found


def main(times: int, seed: int) -> None:
    chance = random.Random(seed)
    total: Counter[str] = Counter()
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            killed(Path(folder), chance.uniform(0.0, MOST_SECONDS))
            total += left(Path(folder))
    print(f"| of {times} runs killed with SIGKILL | |\n|---|---|")
    for name, count in sorted(total.items()):
        print(f"| {name} | {count} |")
    print(f"\n{json.dumps({'times': times, 'seed': seed})}")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 100, numbers[1] if len(numbers) > 1 else 0)
