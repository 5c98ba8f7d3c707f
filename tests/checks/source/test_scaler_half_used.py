"""scaler-half-used: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, scaler):
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(F.mse_loss(model(x), y)).backward()
        scaler.step(optimizer)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, scaler):
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(F.mse_loss(model(x), y)).backward()
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "scaler-half-used")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "scaler-half-used") == []
