"""evaluation-builds-graph: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def validate(model, val_loader):
    for x, y in val_loader:
        F.mse_loss(model(x), y).item()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def validate(model, val_loader):
    with torch.no_grad():
        for x, y in val_loader:
            model(x)
def train(model, loader):
    for x, y in loader:
        model(x)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "evaluation-builds-graph")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "evaluation-builds-graph") == []
