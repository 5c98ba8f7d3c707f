"""dropout-always-on: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.5)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

class Net(nn.Module):
    def forward(self, x):
        if self.training:
            x = F.dropout(x, 0.1)
        x = F.dropout(x, 0.1, self.training)
        return F.dropout(x, training=self.training)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "dropout-always-on")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "dropout-always-on") == []
