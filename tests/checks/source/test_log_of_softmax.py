"""log-of-softmax: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(x):
    return F.softmax(x, dim=1).log()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(x):
    p = torch.sigmoid(x)
    return torch.log(p)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(x):
    p = torch.sigmoid(x)
    return torch.log(p + 1e-8) + p.clamp(min=1e-6).log() + F.log_softmax(x, dim=1)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "log-of-softmax")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "log-of-softmax") == []
