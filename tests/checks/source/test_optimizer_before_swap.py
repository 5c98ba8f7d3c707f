"""optimizer-before-swap: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

import torchvision
def main():
    model = torchvision.models.resnet18()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(512, 2)
    for i in range(9):
        opt.zero_grad()
        model(i).sum().backward()
        opt.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

import torchvision
def main():
    model = torchvision.models.resnet18()
    model.fc = nn.Linear(512, 2)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    other = torchvision.models.resnet18()
    other.fc = nn.Linear(512, 2)
    model.name = "x"
    return model, opt, other
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "optimizer-before-swap")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "optimizer-before-swap") == []
