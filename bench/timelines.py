"""What K forked timelines cost against K fresh runs of the script, and against one plain run of the same steps.

    python bench/timelines.py [--steps 150] [--timelines 6]

Everything is measured in one run of this program, on one script (a digits-sized MLP on generated data).
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
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
done = 0
while done < {steps}:
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        done += 1
        if done == {steps}: break
"""


def seconds(command: list[str], folder: str) -> float:
    begun = time.perf_counter()
    subprocess.run(command, cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, check=False)
    return time.perf_counter() - begun


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=150)
    steps = options.parse_args().steps
    firstlight = [sys.executable, "-m", "firstlight", "check", "--format", "json", "--output", "report.json"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(SCRIPT.format(steps=steps), encoding="utf-8")
        plain = min(seconds([sys.executable, "train.py"], folder) for _ in range(3))
        observed = min(
            seconds([*firstlight, "--profile", "quick", "--steps", str(steps), "train.py"], folder) for _ in range(3)
        )
        whole = min(seconds([*firstlight, "--steps", str(steps), "train.py"], folder) for _ in range(3))
        count = len(json.loads((Path(folder) / "report.json").read_text())["coverage"]["experiments"])
        fresh = sum(seconds([sys.executable, "train.py"], folder) for _ in range(count))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"one plain run of {steps} steps            {plain:6.2f} s")
    print(f"firstlight check, observation only       {observed:6.2f} s   {observed / plain:5.2f} x plain")
    print(f"firstlight check, {count} timelines of {steps} steps {whole:6.2f} s   {whole / plain:5.2f} x plain")
    print(f"the same {count} as fresh runs, in turn        {fresh:6.2f} s   {fresh / plain:5.2f} x plain")
    print(
        f"timelines alone                          {whole - observed:6.2f} s   {(whole - observed) / plain:5.2f} x plain"
    )


if __name__ == "__main__":
    main()
