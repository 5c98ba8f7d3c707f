"""What each check of a declared experiment costs, against its typical and most time.

    python bench/preflight.py [quick|standard|deep]

A small classifier over 600 examples with every piece declared; one preflight in a process that has torch imported.
"""

import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl
from firstlight.experiments.declared.probes.catalogue import PROBES

torch.manual_seed(0)
MEASURED = torch.randn(600, 8)
KINDS = MEASURED[:, :3].argmax(dim=1)


def loader(begin: int, end: int) -> DataLoader:
    return DataLoader(TensorDataset(MEASURED[begin:end], KINDS[begin:end]), batch_size=32, shuffle=True)


def model() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))


def experiment(folder: Path) -> fl.Experiment:
    return fl.Experiment(
        model=model,
        train=loader(0, 500),
        val=loader(500, 600),
        loss=F.cross_entropy,
        metric=lambda scores, kinds: (scores.argmax(dim=1) == kinds).float().mean(),
        penalty=lambda m: 1e-4 * sum(p.square().sum() for p in m.parameters()),
        precision="bf16",
        fresh=lambda index: (MEASURED[index], KINDS[index]),
        optimizer=lambda m: torch.optim.AdamW(m.parameters(), lr=1e-2),
        scheduler=lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 1600),
        total_steps=1600,
        selector=fl.BestEpoch(),
        invariants=[fl.Invariant(name="scores", on="output", check="finite and max < 100")],
        log=folder / "events.ndjson",
        frame={"time": torch.arange(600), "raw": MEASURED[:, 0], "split": ["train"] * 500 + ["val"] * 100},
        features=lambda frame: {"raw": frame["raw"]},
    )


def main() -> None:
    profile = sys.argv[1] if len(sys.argv) > 1 else "quick"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        begun = time.monotonic()
        report = fl.preflight(experiment(Path(folder)), profile=profile)
        seconds = time.monotonic() - begun
    print(f"{platform.system()}, Python {platform.python_version()}, torch {torch.__version__}, profile {profile}\n")
    probes: dict[str, list[str]] = {}
    timed = {}
    for check in report.checks:
        if check.probe is not None:
            probes.setdefault(check.probe, []).append(check.name)
            timed[check.probe] = check
    print("| probe | seconds | typical | most | within | checks |\n|---|---|---|---|---|---|")
    for probe, check in sorted(timed.items(), key=lambda item: -item[1].seconds):
        within = "typical" if check.seconds <= check.typical_seconds else "most"
        within = within if check.seconds <= check.most_seconds else "over"
        named = ", ".join(probes[probe]) if len(probes[probe]) < 6 else f"{len(probes[probe])} checks"
        row = f"{check.seconds:.2f} | {check.typical_seconds:g} | {check.most_seconds:g} | {within}"
        print(f"| {probe} | {row} | {named} |")
    left = [probe.name for probe in PROBES if probe.name not in timed]
    total = sum(check.seconds for check in timed.values())
    print(
        f"\n{len(report.checks)} checks in {seconds:.1f} s ({total:.1f} s of probes, some at once): {report.verdict}."
        + (f" Without an answer: {', '.join(left)}." if left else "")
    )


if __name__ == "__main__":
    main()
