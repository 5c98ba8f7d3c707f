"""forward-called-directly: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
class N(nn.Module):
    def forward(self, x):
        return self.net.forward(x)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
class N(nn.Module):
    def forward(self, x):
        return self.net(super().forward(x))
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "forward-called-directly")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "forward-called-directly") == []
