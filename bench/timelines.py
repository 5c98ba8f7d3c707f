"""What K timelines cost by each engine, against K plain runs of the script and against one.

    python bench/timelines.py [--steps 150] [--repeats 3] [--device cuda]

Everything is measured in one run of this program, on one script (a digits-sized MLP on generated data). With
`--device cuda` the script trains on the GPU, where it cannot be forked: the first row then shows what `auto` makes of
it, and its reason is printed.
"""

import argparse
import contextlib
import ctypes
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

SCRIPT = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
c = torch.randn(10, 64); y = torch.randint(10, (1792,)); x = c[y] + torch.randn(1792, 64)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)).to("{device}")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
done = 0
while done < {steps}:
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb.to("{device}")), yb.to("{device}"))
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        done += 1
        if done == {steps}: break
"""
COLD = """from firstlight.cli.main import main
from firstlight.experiments.engines import local
local.warmable = lambda target: False  # every run starts Python and imports torch itself
main()
"""


class Cost(NamedTuple):
    wall: float
    cpu: float
    """Seconds of all processes together, which a busy machine hardly changes."""


class Bench:
    def __init__(self, folder: str, steps: int) -> None:
        self.folder, self.steps = Path(folder), steps
        self.coverage: dict[str, dict[str, Any]] = {}

    def run(self, *command: str) -> Cost:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        before, begun = _spent(), time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=self.folder, env=environment, capture_output=True, check=False)
        wall = time.perf_counter() - begun
        return Cost(wall, _spent() - before)

    def check(self, name: str, *flags: str, by: tuple[str, ...] = ("-m", "firstlight")) -> Cost:
        words = (*by, "check", "--format", "json", "--output", "report.json", "--steps", str(self.steps))
        cost = self.run(*words, *flags, "train.py")
        self.coverage[name] = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["coverage"]
        return cost


def _spent() -> float:
    """CPU seconds of every descendant that is over; orphans are adopted, and waited for."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _adopt_orphans() -> None:
    """A forked timeline's parent ends before this program does (Linux)."""
    pr_set_child_subreaper = 36
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=150)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--device", default="cpu")
    given = options.parse_args()
    _adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, given.steps)
        (bench.folder / "train.py").write_text(SCRIPT.format(steps=given.steps, device=given.device), encoding="utf-8")
        (bench.folder / "cold.py").write_text(COLD, encoding="utf-8")
        kinds: dict[str, Callable[[], Cost]] = {
            "one plain run": lambda: bench.run("train.py"),
            "observed, no timelines": lambda: bench.check("observed", "--profile", "quick"),
            "auto": lambda: bench.check("auto"),
            "fresh, from a warm parent": lambda: bench.check("fresh, from a warm parent", "--engine", "fresh"),
            "fresh, started plainly": lambda: bench.check(
                "fresh, started plainly", "--engine", "fresh", by=("cold.py",)
            ),
        }
        costs = {name: [] for name in kinds}
        for _ in range(given.repeats):  # in turn, so that a busy minute touches all of them
            for name, measure in kinds.items():
                costs[name].append(measure())
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'':44} {'wall s':>8} {'x plain':>8} {'CPU s':>8} {'x plain':>8}")
    plain = best(costs["one plain run"])
    for name, found in costs.items():
        cost, coverage = best(found), bench.coverage.get(name, {})
        label = f"{len(coverage['experiments'])} timelines, {name}" if coverage.get("experiments") else name
        shares = (cost.wall, cost.wall / plain.wall, cost.cpu, cost.cpu / plain.cpu)
        print(f"{label:44} " + " ".join(f"{share:8.2f}" for share in shares) + f"   {told(coverage)}")


def best(costs: list[Cost]) -> Cost:
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))


def told(coverage: dict[str, Any]) -> str:
    engine, reason = coverage.get("engine"), coverage.get("engine_reason")
    return f"{engine}{f' ({reason})' if reason else ''}" if engine else ""


if __name__ == "__main__":
    main()
