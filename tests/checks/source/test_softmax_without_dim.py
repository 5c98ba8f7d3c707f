"""softmax-without-dim: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

net = nn.Sequential(nn.Linear(2, 2), nn.LogSoftmax())
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

net = nn.Sequential(nn.Linear(2, 2), nn.LogSoftmax(dim=1), nn.Softmax(1))
def f(x, kw):
    return F.softmax(x, -1) + F.softmax(x, dim=0) + F.softmax(x, **kw)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "softmax-without-dim")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "softmax-without-dim") == []
