"""What K timelines cost by each engine, against K plain runs of the script and against one.

    python bench/timelines.py [--steps 150] [--repeats 3] [--device cuda]

Everything is measured in one run of this program, on one script (a digits-sized MLP on generated data). With
`--device cuda` the script trains on the GPU, where it cannot be forked: the first row then shows what `auto` makes of
it, and its reason is printed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


class Bench:
    def __init__(self, folder: str, steps: int, repeats: int) -> None:
        self.folder, self.steps, self.repeats = Path(folder), steps, repeats

    def seconds(self, *command: str) -> float:
        """The best of several: what others do on the machine only ever adds."""
        return min(self._once(command) for _ in range(self.repeats))

    def _once(self, command: tuple[str, ...]) -> float:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        begun = time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=self.folder, env=environment, capture_output=True, check=False)
        return time.perf_counter() - begun

    def check(self, *flags: str, by: tuple[str, ...] = ("-m", "firstlight")) -> tuple[float, dict]:
        words = (*by, "check", "--format", "json", "--output", "report.json", "--steps", str(self.steps))
        took = self.seconds(*words, *flags, "train.py")
        return took, json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["coverage"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=150)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--device", default="cpu")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, given.steps, given.repeats)
        (bench.folder / "train.py").write_text(SCRIPT.format(steps=given.steps, device=given.device), encoding="utf-8")
        (bench.folder / "cold.py").write_text(COLD, encoding="utf-8")
        plain = bench.seconds("train.py")
        observed, _ = bench.check("--profile", "quick")
        rows = [("observation only", observed, "")]
        for name, by in (("auto", ()), ("fresh, warm parent", ("--engine", "fresh"))):
            took, coverage = bench.check(*by)
            rows.append((f"{len(coverage['experiments'])} timelines, {name}", took, told(coverage)))
        took, coverage = bench.check("--engine", "fresh", by=("cold.py",))
        rows.append((f"{len(coverage['experiments'])} timelines, fresh, no warm parent", took, told(coverage)))
        count = len(coverage["experiments"])
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'':42} {'seconds':>8} {'x plain':>8}   engine")
    print(f"{f'one plain run of {given.steps} steps':42} {plain:8.2f} {1:8.2f}")
    for name, took, engine in rows:
        print(f"{f'check, {name}':42} {took:8.2f} {took / plain:8.2f}   {engine}")
    print(f"{f'{count} plain runs, in turn (computed)':42} {count * plain:8.2f} {count:8.2f}")


def told(coverage: dict) -> str:
    return " ".join(filter(None, [coverage["engine"], coverage["engine_reason"] and f"({coverage['engine_reason']})"]))


if __name__ == "__main__":
    main()
