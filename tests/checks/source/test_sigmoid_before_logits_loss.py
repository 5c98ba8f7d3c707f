"""sigmoid-before-logits-loss: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn
criterion = nn.BCEWithLogitsLoss()
def step(model, x, y):
    criterion(torch.sigmoid(model(x)), y).backward()
""",
    """
import torch.nn as nn
criterion = nn.BCEWithLogitsLoss()
net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
def step(x, y):
    out = net(x)
    loss = criterion(out, y)
    loss.backward()
""",
]
GOOD = [
    """
import torch, torch.nn as nn
def step(model, x, y):
    nn.BCELoss()(torch.sigmoid(model(x)), y).backward()
    nn.BCEWithLogitsLoss()(model(x), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "sigmoid-before-logits-loss")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "sigmoid-before-logits-loss") == []
