"""requires-grad-without-effect: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
model = nn.Sequential(nn.Linear(2, 2))
model.requires_grad = False
""",
    """
import torch
def f(p):
    p.requires_grads = False
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
model = nn.Linear(2, 2)
model.weight.requires_grad = False
x = torch.ones(2)
x.requires_grad = True
""",
    """
import torch
def f(p):
    p.requires_grad = False
    p.requires_grad_(True)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "requires-grad-without-effect")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "requires-grad-without-effect") == []
