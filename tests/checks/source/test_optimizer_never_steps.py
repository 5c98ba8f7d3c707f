"""optimizer-never-steps: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        do_step(optimizer)
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        model.zero_grad()
        F.mse_loss(model(x), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "optimizer-never-steps")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "optimizer-never-steps") == []
