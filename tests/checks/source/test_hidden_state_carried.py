"""hidden-state-carried: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, hidden):
    for x, y in loader:
        optimizer.zero_grad()
        out, hidden = model(x, hidden)
        F.mse_loss(out, y).backward()
        optimizer.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer, hidden):
    for x, y in loader:
        optimizer.zero_grad()
        hidden = repackage(hidden)
        out, hidden = model(x, hidden)
        F.mse_loss(out, y).backward()
        optimizer.step()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader, optimizer):
    for x, y in loader:
        hidden = None
        out, hidden = model(x, hidden)
        F.mse_loss(out, y).backward()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def train(model, loader):
    for x, y in loader:
        hidden = model.start()
        for t in range(9):
            out, hidden = model(x[t], hidden)
        F.mse_loss(out, y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "hidden-state-carried")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "hidden-state-carried") == []
