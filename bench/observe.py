"""What observation costs the script's own steps: the same program, plain and under `firstlight check`, in turns.

    python bench/observe.py [--rounds 3] [--steps 300]

Prints, for a small MLP, a CNN and a tiny transformer, the ratio of the time of the steps under observation to the plain time:
the median of the rounds, each a pair run one after the other on the same machine.
"""

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = """import time, torch
from torch import nn
torch.manual_seed(0); torch.set_num_threads(1)
x = torch.randn(2048, {width}); y = torch.randint(10, (2048,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=64, shuffle=True)
"""
MODELS = {
    "MLP 64-128-128-10, batch 64": (
        64,
        "model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))",
    ),
    "CNN 3 conv + BN, 16x16, batch 64": (
        256,
        """model = nn.Sequential(nn.Unflatten(1, (1, 16, 16)), nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
    nn.Conv2d(32, 64, 3, padding=1, stride=2), nn.BatchNorm2d(64), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1, stride=2),
    nn.BatchNorm2d(64), nn.ReLU(), nn.Flatten(), nn.Linear(1024, 10))""",
    ),
    "transformer 2 layers, d 64, length 16, batch 64": (
        256,
        """model = nn.Sequential(nn.Unflatten(1, (16, 16)), nn.Linear(16, 64),
    nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2), nn.Flatten(), nn.Linear(1024, 10))""",
    ),
}
LOOP = """
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
done = 0; begun = None; stamps = []
while done < {steps}:
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        done += 1
        if done == 1: begun = time.perf_counter()
        if done >= {steps}: break
print("seconds", time.perf_counter() - begun, flush=True)
"""


def seconds(text: str) -> float:
    found = re.findall(r"seconds ([\d.]+)", text)
    return float(found[-1])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--steps", type=int, default=300)
    chosen = options.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'program':50} {'plain ms/step':>14} {'observed':>10} {'ratio':>7}")
    for name, (width, model) in MODELS.items():
        source = DATA.format(width=width) + model + LOOP.format(steps=chosen.steps)
        plain, observed = [], []
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "train.py").write_text(source, encoding="utf-8")
            for _ in range(chosen.rounds):
                done = subprocess.run(
                    [sys.executable, "train.py"], cwd=folder, capture_output=True, text=True, check=True
                )
                plain.append(seconds(done.stdout))
                command = [
                    sys.executable,
                    "-m",
                    "firstlight",
                    "check",
                    "--profile",
                    "quick",
                    "--steps",
                    "100000",
                    "--seconds",
                    "300",
                ]
                done = subprocess.run(
                    [*command, "--show-output", "train.py"], cwd=folder, capture_output=True, text=True, check=False
                )
                observed.append(seconds(done.stderr))
        ratio = statistics.median(o / p for o, p in zip(observed, plain, strict=True))
        per_step = 1000 / (chosen.steps - 1)
        print(
            f"{name:50} {statistics.median(plain) * per_step:14.2f} {statistics.median(observed) * per_step:10.2f} {ratio:7.2f}"
        )


if __name__ == "__main__":
    main()
