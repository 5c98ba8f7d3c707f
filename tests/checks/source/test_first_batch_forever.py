"""first-batch-forever: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def main(train_loader, model, optimizer):
    for i in range(1000):
        x, y = next(iter(train_loader))
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def main(train_loader, model, optimizer):
    batches = iter(train_loader)
    x0, y0 = next(iter(train_loader))
    for i in range(1000):
        x, y = next(batches)
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "first-batch-forever")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "first-batch-forever") == []
