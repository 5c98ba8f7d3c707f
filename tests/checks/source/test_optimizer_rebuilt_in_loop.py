"""optimizer-rebuilt-in-loop: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(loader, model):
    for x, y in loader:
        opt = torch.optim.Adam(model.parameters())
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(loader, model, folds):
    for fold in folds:
        opt = torch.optim.Adam(model.parameters())
        for epoch in range(3):
            for x, y in loader:
                opt.zero_grad()
                model(x).sum().backward()
                opt.step()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "optimizer-rebuilt-in-loop")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "optimizer-rebuilt-in-loop") == []
