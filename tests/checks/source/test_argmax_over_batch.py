"""argmax-over-batch: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
net = nn.Linear(2, 3)
def f(loader):
    for x, y in loader:
        values, found = torch.max(net(x), 0)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
net = nn.Linear(2, 3)
def f(loader):
    for x, y in loader:
        torch.max(net(x), 1)
        net(x)[0].argmax(0)
        net(x).max()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "argmax-over-batch")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "argmax-over-batch") == []
