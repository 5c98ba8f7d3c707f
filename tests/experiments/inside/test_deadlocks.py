"""Parameters that hold each other at zero, and those that rest for another reason."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.deadlocks import PATIENCE, Deadlocks
from firstlight.records.stuck import StuckAtZero


class Branch(nn.Module):
    """A layer, and beside it a product of two factors, which may be shut."""

    def __init__(self, down: float, up: float, opened: float = 1.0) -> None:
        super().__init__()
        self.base = nn.Linear(4, 3)
        self.down = nn.Parameter(down * torch.randn(4, 2))
        self.up = nn.Parameter(up * torch.randn(2, 3))
        self.opened = opened

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.base(rows) + self.opened * (rows @ self.down @ self.up)
        return found


def trained(model: nn.Module, steps: int, make: Callable[..., torch.optim.Optimizer]) -> list[StuckAtZero]:
    optimizer = make(model.parameters(), lr=0.1)
    observer: Any = SimpleNamespace(step=0, optimizers=list)
    seen = Deadlocks(observer)
    call: Any = SimpleNamespace(module=model, training=True)
    for _ in range(steps):
        seen.returned(call)
        optimizer.zero_grad()
        model(torch.randn(8, 4)).square().mean().backward()
        seen.step_begins(optimizer)
        optimizer.step()
        seen.stepped(optimizer)
        observer.step += 1
    return list(seen.seen())


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
def test_two_factors_at_zero_wake_each_other_and_are_put_back(make: Callable[..., torch.optim.Optimizer]) -> None:
    model = Branch(0, 0)
    (found,) = trained(model, PATIENCE + 4, make)

    assert (found.nudged, found.woken.names, found.stuck.names) == ("down", ("up",), ("down", "up"))
    assert (found.steps, found.others) == (PATIENCE + 4, 2)
    assert not model.down.any()
    assert not model.up.any()


def test_the_course_of_the_others_is_the_same() -> None:
    def course(watched: bool) -> torch.Tensor:
        torch.manual_seed(0)
        model = Branch(0, 0)
        torch.manual_seed(1)
        if watched:
            trained(model, PATIENCE + 4, torch.optim.SGD)
        else:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(PATIENCE + 4):
                optimizer.zero_grad()
                model(torch.randn(8, 4)).square().mean().backward()
                optimizer.step()
        return model.base.weight.detach()

    assert torch.equal(course(True), course(False))


@pytest.mark.parametrize(("down", "up"), [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
def test_one_factor_at_zero_begins_to_move(down: float, up: float) -> None:
    assert trained(Branch(down, up), PATIENCE + 4, torch.optim.SGD) == []


def test_a_branch_that_is_shut_is_woken_by_nothing() -> None:
    (found,) = trained(Branch(0, 0, opened=0.0), PATIENCE + 8, torch.optim.SGD)

    assert (found.nudged, found.woken.tensors) == (None, 0)


def test_too_few_steps_tell_nothing() -> None:
    assert trained(Branch(0, 0), PATIENCE - 1, torch.optim.SGD) == []


def test_a_gate_at_zero_and_the_layer_behind_it_at_zero() -> None:
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.base, self.last = nn.Linear(4, 3), nn.Linear(4, 3)
            self.gate = nn.Parameter(torch.zeros(1))
            nn.init.zeros_(self.last.weight)
            nn.init.zeros_(self.last.bias)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = self.base(rows) + self.gate * self.last(rows)
            return found

    (found,) = trained(Gated(), PATIENCE + 4, torch.optim.SGD)

    assert found.nudged is not None
    assert found.woken.tensors
