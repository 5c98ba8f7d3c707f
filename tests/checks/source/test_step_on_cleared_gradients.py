"""step-on-cleared-gradients: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        optimizer.step()
        loss.backward()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def apply(loss, opt):
    loss.backward()
    opt.zero_grad()
    opt.step()
def train(model, loader, opt):
    for x, y in loader:
        apply(F.mse_loss(model(x), y), opt)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(G, D, loader, opt_g, opt_d):
    for x, y in loader:
        opt_d.zero_grad()
        D(x).mean().backward()
        opt_g.zero_grad()
        opt_d.step()
        G(x).mean().backward()
        opt_g.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "step-on-cleared-gradients")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "step-on-cleared-gradients") == []
