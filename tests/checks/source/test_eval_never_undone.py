"""eval-never-undone: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            model(x)
def main(model, loader, val_loader, optimizer):
    model.train()
    for epoch in range(9):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        evaluate(model, val_loader)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def main(model, teacher, loader, val_loader, optimizer):
    for epoch in range(9):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        model.eval()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F

def main(model, teacher, loader, optimizer):
    for epoch in range(9):
        teacher.eval()
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), teacher(y)).backward()
            optimizer.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "eval-never-undone")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "eval-never-undone") == []
