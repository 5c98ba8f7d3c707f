"""backward-after-cut: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn.functional as F
def train(model, loader):
    for x, y in loader:
        out = model(x).detach()
        loss = F.mse_loss(out, y)
        loss.backward()
""",
    """
import torch, torch.nn.functional as F
def train(model, train_loader):
    for x, y in train_loader:
        with torch.no_grad():
            out = model(x)
        loss = F.mse_loss(out, y)
        loss.backward()
""",
    """
import torch, torch.nn.functional as F
def step(model, x, y):
    loss = F.mse_loss(model(x), y)
    loss = torch.autograd.Variable(loss, requires_grad=True)
    loss.backward()
""",
    """
import torch, torch.nn.functional as F
def step(model, x, y):
    loss = F.mse_loss(model(x), y).requires_grad_(True)
    loss.backward()
""",
]
GOOD = [
    """
import torch, torch.nn.functional as F
def train(model, teacher, head, train_loader):
    for x, y in train_loader:
        with torch.no_grad():
            features = model(x)
        loss = F.mse_loss(head(features), y)
        loss.backward()
        goal = model(x).detach()
        F.mse_loss(model(x), goal).backward()
""",
    """
import torch.nn as nn, torch.nn.functional as F
D, G = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid()), nn.Linear(2, 2)
def step(x, ones):
    fake = G(x)
    F.binary_cross_entropy(D(fake.detach()), ones).backward()
""",
    """
import torch, torch.nn.functional as F
def attack(model, x, y):
    x.requires_grad = True
    x = x.requires_grad_()
    loss = F.mse_loss(model(x), y)
    loss.backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "backward-after-cut")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "backward-after-cut") == []
