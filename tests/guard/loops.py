"""Small trainings of many kinds, each the same to the bit whenever it is run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

STEPS = 12


@dataclass(frozen=True)
class Training:
    model: nn.Module
    parts: tuple[Any, ...]
    """What a guard is given."""
    step: Callable[[], None]

    def run(self, steps: int = STEPS) -> list[torch.Tensor]:
        for _ in range(steps):
            self.step()
        return [value.detach().clone() for value in self.model.state_dict().values()]


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.BatchNorm1d(32), nn.Linear(32, 3))


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(16, 8), torch.randint(3, (16,))


def plain(make: Callable[[Any], torch.optim.Optimizer]) -> Training:
    torch.manual_seed(0)
    model = mlp()
    optimizer = make(model.parameters())

    def step() -> None:
        x, y = batch()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return Training(model, (model, optimizer), step)


def sgd() -> Training:
    return plain(lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9))


def adam_foreach() -> Training:
    return plain(lambda parameters: torch.optim.Adam(parameters, lr=1e-2, foreach=True))


def adam_fused() -> Training:
    return plain(lambda parameters: torch.optim.AdamW(parameters, lr=1e-2, fused=True))


def autocast() -> Training:
    torch.manual_seed(0)
    model = mlp()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step() -> None:
        x, y = batch()
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    return Training(model, (model, optimizer), step)


def accumulating() -> Training:
    torch.manual_seed(0)
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        for _ in range(4):
            x, y = batch()
            (nn.functional.cross_entropy(model(x), y) / 4).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return Training(model, (model, optimizer), step)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.out = nn.Linear(8, 20, bias=False)
        self.out.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.out(self.words(x))
        return found


def tied() -> Training:
    torch.manual_seed(0)
    model = Tied()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def step() -> None:
        x = torch.randint(20, (16,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), x.roll(1)).backward()
        optimizer.step()

    return Training(model, (model, optimizer), step)


def sparse() -> Training:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(50, 8, sparse=True), nn.Flatten(), nn.Linear(32, 3))
    slow = torch.optim.SGD(model[2].parameters(), lr=0.1)
    rows = torch.optim.SparseAdam(list(model[0].parameters()), lr=1e-2)

    def step() -> None:
        x, y = torch.randint(50, (16, 4)), torch.randint(3, (16,))
        slow.zero_grad()
        rows.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        slow.step()
        rows.step()

    return Training(model, (model, [slow, rows]), step)


def lbfgs() -> Training:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
    x, y = batch()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    return Training(model, (model, optimizer), lambda: optimizer.step(closure) and None)


def scaled() -> Training:
    torch.manual_seed(0)
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127, growth_interval=1000)

    def step() -> None:
        x, y = batch()
        optimizer.zero_grad()
        scaler.scale(100 * nn.functional.cross_entropy(model(x), y)).backward()
        scaler.step(optimizer)
        scaler.update()

    return Training(model, (model, optimizer, scaler), step)


KINDS = (sgd, adam_foreach, adam_fused, autocast, accumulating, tied, sparse, lbfgs, scaled)
