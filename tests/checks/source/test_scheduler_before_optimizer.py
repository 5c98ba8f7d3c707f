"""scheduler-before-optimizer: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, scheduler):
    for epoch in range(10):
        scheduler.step()
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, scheduler):
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        scheduler.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, scheduler):
    for epoch in range(10):
        scheduler.step(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def run_epoch(model, loader, optimizer=None):
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
for epoch in range(10):
    run_epoch(model, train_loader, optimizer)
    scheduler.step()
    run_epoch(model, test_loader)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "scheduler-before-optimizer")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "scheduler-before-optimizer") == []
