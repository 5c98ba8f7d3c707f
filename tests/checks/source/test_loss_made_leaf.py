"""loss-made-leaf: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
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
def attack(model, x, y):
    x.requires_grad = True
    x = x.requires_grad_()
    loss = F.mse_loss(model(x), y)
    loss.backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "loss-made-leaf")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "loss-made-leaf") == []
