"""linear-after-linear: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 4), nn.ReLU())
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
net = nn.Sequential(nn.Linear(64, 4), nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "linear-after-linear")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "linear-after-linear") == []
