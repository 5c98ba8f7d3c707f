"""activation-left-out: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
loss_fn = nn.NLLLoss()
def step(x, y):
    loss_fn(net(x), y).backward()
""",
    """
import torch.nn as nn, torch.nn.functional as F
def step(model, x, y):
    F.nll_loss(F.softmax(model(x), dim=1), y).backward()
""",
    """
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
def step(x, y):
    nn.BCELoss()(net(x), y).backward()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def step(model, x, y):
    F.nll_loss(model(x), y).backward()
    F.nll_loss(torch.log(F.softmax(model(x), dim=1)), y).backward()
    F.nll_loss(torch.log(F.softmax(model(x), dim=1) + 1e-9), y).backward()
net = nn.Sequential(nn.Linear(3, 8), nn.LogSoftmax(dim=1))
nn.NLLLoss()(net(1), 2)
""",
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
    assert lint(code, "activation-left-out")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "activation-left-out") == []
