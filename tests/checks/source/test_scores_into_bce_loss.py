"""scores-into-bce-loss: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
def step(x, y):
    nn.BCELoss()(net(x), y).backward()
""",
]
GOOD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.Sigmoid())
def step(x, y, model):
    nn.BCELoss()(net(x), y).backward()
    nn.BCELoss()(model(x), y).backward()
    nn.BCELoss()(nn.Linear(2, 1)(x).clamp(0, 1), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "scores-into-bce-loss")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "scores-into-bce-loss") == []
