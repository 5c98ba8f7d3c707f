"""How many steps after a fault the guard raises its flag.

    python bench/guard_latency.py [--seeds 3]

A small classifier trains in health up to step 400; there one thing is broken. Printed for each fault: the check that told of it
first, and the steps from the fault to the flag, over several seeds. Every step is looked at (`cost=None`).
"""

import argparse
import contextlib
import io
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import firstlight as fl

AT = 400
STEPS = 1200
Fault = Callable[["Run", torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


class Points(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Whole batches, so that the loader of a stale one can be broken from inside."""

    def __init__(self) -> None:
        weights = torch.randn(16, 4)
        self.x = torch.randn(STEPS + 1, 32, 16)
        self.y = (self.x @ weights).argmax(dim=2)
        self.stale = False

    def sort(self) -> None:
        """From the fault on the examples come class after class."""
        order = self.y[AT:].flatten().argsort(stable=True)
        self.x[AT:] = self.x[AT:].flatten(0, 1)[order].view_as(self.x[AT:])
        self.y[AT:] = self.y[AT:].flatten()[order].view_as(self.y[AT:])

    def __len__(self) -> int:
        return STEPS

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        place = min(index, AT) if self.stale else index
        return self.x[place], self.y[place]


class Run:
    """With a normalisation in front and Adam where the fault is one that only such a run would bear in silence."""

    def __init__(self, seed: int, hardy: bool = False) -> None:
        torch.manual_seed(seed)
        self.data = Points()
        self.model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
        self.norm = nn.LayerNorm(16, elementwise_affine=False) if hardy else nn.Identity()
        self.optimizer: torch.optim.Optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        if hardy:
            self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.step = 0
        self.cut = False
        self.weight = 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.model[:2](self.norm(x))
        return self.model[2:](hidden.detach() if self.cut else hidden)


def nan_batch(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return (x * float("nan") if run.step == AT else x), y


def rate(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if run.step == AT:
        for group in run.optimizer.param_groups:
            group["lr"] *= 1000
    return x, y


def cut_layer(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    run.cut = run.step >= AT
    return x, y


def dead_units(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if run.step == AT:
        run.model[2].bias.data.fill_(-50.0)
    return x, y


def shuffled(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x, (y[torch.randperm(len(y))] if run.step >= AT else y)


def stale(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    run.data.stale = True
    return x, y


def scaled_inputs(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return (x * 1000 if run.step >= AT else x), y


def in_order(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if run.step == AT - 1:
        run.data.sort()
    return x, y


def weighted(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    run.weight = 30.0 if run.step >= AT else 1.0
    return x, y


def in_percent(run: Run, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if run.step == AT - 1:
        run.data.x[AT:] *= 100
    return x, y


HARDY: dict[str, Fault] = {
    "Adam, loss weighted x30": weighted,
    "Adam and a LayerNorm, inputs in percent": in_percent,
    "Adam, examples in order of their class": in_order,
}
FAULTS: dict[str, Fault] = {
    "a batch of NaN": nan_batch,
    "learning rate x1000": rate,
    "a layer cut off (`detach`)": cut_layer,
    "all ReLUs of a layer dead": dead_units,
    "labels shuffled": shuffled,
    "the same batch from here on": stale,
    "inputs x1000": scaled_inputs,
}


def latency(fault: Fault, seed: int, every: int) -> tuple[str, int] | None:
    run = Run(seed, fault in HARDY.values())
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stderr(io.StringIO()),
        fl.guard(run.model, run.optimizer, directory=Path(folder), every=every, cost=None) as guard,
    ):
        for batch in DataLoader(run.data, batch_size=None):
            x, y = fault(run, *batch)
            loss = run.weight * nn.functional.cross_entropy(run.forward(x), y)
            run.optimizer.zero_grad()
            loss.backward()
            run.optimizer.step()
            run.step += 1
            if guard.trips:
                return guard.trips[0].finding.name, run.step - 1 - AT
    return None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--every", type=int, default=50)
    chosen = options.parse_args()
    torch.set_num_threads(1)
    print(f"activations every {chosen.every} steps, {chosen.seeds} seeds")
    print("| fault at step 400 | told by | steps until the flag |\n|---|---|---|")
    for name, fault in (FAULTS | HARDY).items():
        found = [latency(fault, seed, chosen.every) for seed in range(chosen.seeds)]
        told = [each for each in found if each is not None]
        names = ", ".join(f"`{each}`" for each in dict.fromkeys(check for check, _ in told)) or "nobody"
        steps = [count for _, count in told]
        shown = f"{statistics.median(steps):g} ({min(steps)} to {max(steps)})" if steps else "not within 800"
        print(f"| {name} | {names} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
