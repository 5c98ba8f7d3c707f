"""Real runs of a program whose luck is constructed: does `firstlight seeds` find which luck it is?

`python bench/lab_shares.py`. The program prints a sum of one draw of each kind, in known proportions, made where such
draws are made in a real one: while a module is built, by a shuffled loader, in a model's forward pass, and by Python's
hashes, which no seed reaches.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """import sys
import torch
from torch import nn
from torch.utils.data import DataLoader

init, order, dropout, nondeterminism = map(float, sys.argv[1:])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drawn = nn.Parameter(torch.rand(1))

    def forward(self, x):
        return torch.rand(1) + 0 * self.drawn


model = Model().train()
luck = init * model.drawn.item() + order * next(iter(DataLoader(range(1000), shuffle=True))).item() / 1000
luck += dropout * model(torch.zeros(1)).item() + nondeterminism * (hash("luck") % 1000) / 1000
print(f"val_score: {luck:.9f}")
"""
SOURCES = ("init", "order", "dropout", "nondeterminism")
CASES = ((1, 0, 0, 0), (0, 1, 1, 0), (0, 0, 0, 1), (2, 0, 0, 1))
"""Standard deviations in these proportions: every draw is uniform."""
RUNS = 6
RESULTS = Path(__file__).resolve().parent / "results" / "lab_shares.json"
"""What is done, so that an interrupted bench goes on where it stood."""


def asked(case: tuple[float, ...]) -> dict[str, tuple[float, float, float]]:
    """The share of each source, and the range it lies in."""
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        Path(folder, "train.py").write_text(PROGRAM, encoding="utf-8")
        options = ("-n", "2", "--sources", "init,order,dropout", "--each", str(RUNS), "--format", "json")
        command = (sys.executable, "-m", "firstlight", "seeds", *options, "train.py", *map(str, case))
        told = json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=True, env=os.environ).stdout)
    rows = told["tables"][1]["rows"]
    return {source: (row[3], row[4], row[5]) for source, row in zip(SOURCES, rows, strict=True)}


def measured() -> dict[str, dict[str, tuple[float, float, float]]]:
    """Every case that is not known yet, kept one by one."""
    found: dict[str, dict[str, tuple[float, float, float]]]
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for case in CASES:
        if _name(case) not in found:
            found[_name(case)] = asked(case)
            RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def _name(case: tuple[float, ...]) -> str:
    return " : ".join(map(str, case))


def section() -> list[str]:
    lines = [
        "| initialisation : order : dropout : nondeterminism | true shares | found | 90 % intervals that hold them |",
        "|---|---|---|---|",
    ]
    known = measured()
    for case in CASES:
        found = known[_name(case)]
        truth = {source: sd**2 / sum(one**2 for one in case) for source, sd in zip(SOURCES, case, strict=True)}
        held = sum(low - 1e-6 <= truth[source] <= high + 1e-6 for source, (_, low, high) in found.items())
        shown = [f"{truth[source]:.0%}" for source in SOURCES], [f"{found[source][0]:.0%}" for source in SOURCES]
        lines.append(f"| {_name(case)} | {' : '.join(shown[0])} | {' : '.join(shown[1])} | {held} of {len(SOURCES)} |")
    return lines


if __name__ == "__main__":
    print("\n".join(section()))
