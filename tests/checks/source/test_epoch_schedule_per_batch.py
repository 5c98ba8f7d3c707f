"""epoch-schedule-per-batch: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    sched = torch.optim.lr_scheduler.MultiStepLR(optimizer, [30, 60], 0.1)
    for epoch in range(90):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            sched.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    sched = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, steps_per_epoch=len(loader), epochs=9)
    for epoch in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        sched.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    sched = torch.optim.lr_scheduler.StepLR(optimizer, 10000)
    slow = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9999)
    for epoch in range(90):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            sched.step()
            slow.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    one = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, steps_per_epoch=len(loader), epochs=9)
    sched = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    for epoch in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            one.step()
        sched.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "epoch-schedule-per-batch")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "epoch-schedule-per-batch") == []
