"""column-against-flat: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
def step(train_loader):
    for x, y in train_loader:
        nn.MSELoss()(net(x), y.view(-1)).backward()
        nn.MSELoss()(net(x).view(-1), y.unsqueeze(1)).backward()
""",
]
GOOD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
def step(train_loader):
    for x, y in train_loader:
        nn.MSELoss()(net(x).view(-1), y.view(-1)).backward()
        nn.MSELoss()(net(x), y.unsqueeze(1)).backward()
        nn.MSELoss()(net(x), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "column-against-flat")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "column-against-flat") == []
