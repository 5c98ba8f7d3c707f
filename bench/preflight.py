"""What each check of a declared experiment costs, against its typical and most time.

    python bench/preflight.py [quick|standard|deep] [table|text]

A small classifier over 600 examples with every piece declared, or a small model of the next word with what only such a
model is asked; one preflight in a process that has torch imported.
"""

import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

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


def table(folder: Path) -> fl.Experiment:
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


class Doubled(torch.autograd.Function):
    """A backward written by hand, for the sake of being tried."""

    @staticmethod
    def forward(_context: Any, given: torch.Tensor) -> torch.Tensor:
        return 2 * given

    @staticmethod
    def backward(_context: Any, gradient: torch.Tensor) -> torch.Tensor:
        return 2 * gradient


class NextWord(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.memory, self.out = nn.Embedding(50, 32), nn.LSTM(32, 32, batch_first=True), nn.Linear(32, 50)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return Doubled.apply(self.out(self.memory(self.words(ids))[0])).transpose(1, 2)


def text(_folder: Path) -> fl.Experiment:
    ids = (torch.randint(0, 50, (600, 1)) + 7 * torch.arange(17)) % 50
    return fl.Experiment(
        model=NextWord,
        train=DataLoader(TensorDataset(ids[:, :-1], ids[:, 1:]), batch_size=32, shuffle=True),
        loss=F.cross_entropy,
        optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=1e-2),
        tokenizer=50,
    )


def main() -> None:
    profile, kind = (*sys.argv[1:], *("quick", "table")[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        begun = time.monotonic()
        report = fl.preflight({"table": table, "text": text}[kind](Path(folder)), profile=profile)
        seconds = time.monotonic() - begun
    print(
        f"{platform.system()}, Python {platform.python_version()}, torch {torch.__version__}, profile {profile}, {kind}\n"
    )
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
