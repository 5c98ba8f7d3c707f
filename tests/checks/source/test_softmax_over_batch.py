"""softmax-over-batch: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.LogSoftmax(dim=0))
def step(x, y):
    nn.NLLLoss()(net(x), y).backward()
""",
]
GOOD = [
    """
import torch, torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.LogSoftmax(dim=1))
def step(x, y):
    weights = torch.softmax(x, dim=0)
    nn.NLLLoss()(net(x * weights), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "softmax-over-batch")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "softmax-over-batch") == []
