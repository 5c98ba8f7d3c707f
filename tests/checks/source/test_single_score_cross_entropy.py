"""single-score-cross-entropy: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
def step(x, y):
    nn.CrossEntropyLoss()(net(x), y).backward()
""",
]
GOOD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
def step(x, y):
    nn.CrossEntropyLoss()(net(x).view(4, -1), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "single-score-cross-entropy")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "single-score-cross-entropy") == []
