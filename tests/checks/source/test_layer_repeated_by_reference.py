"""layer-repeated-by-reference: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

layers = nn.ModuleList([nn.Linear(2, 2)] * 4)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(4)])
acts = nn.ModuleList([nn.ReLU()] * 4)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "layer-repeated-by-reference")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "layer-repeated-by-reference") == []
