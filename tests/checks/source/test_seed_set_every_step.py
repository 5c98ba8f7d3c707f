"""seed-set-every-step: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(loader, model):
    for x, y in loader:
        torch.manual_seed(42)
        model(x).sum().backward()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F
@torch.no_grad()
def evaluate(model):
    torch.manual_seed(1)
    return model(torch.randn(4)).sum().item()
def f(model):
    for i in range(9):
        model(torch.randn(4)).sum().backward()
        evaluate(model)
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F
def batch():
    g = torch.Generator().manual_seed(1)
    return torch.randn(4, generator=g)
def f(model):
    for i in range(9):
        model(batch()).sum().backward()
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(loader, model, seed):
    torch.manual_seed(42)
    for i, (x, y) in enumerate(loader):
        torch.manual_seed(seed + i)
        model(x).sum().backward()
""",
    """
import torch, torch.nn as nn, torch.nn.functional as F
@torch.no_grad()
def evaluate(model):
    g = torch.Generator().manual_seed(1)
    return model(torch.randn(4, generator=g)).sum().item()
def f(model):
    for i in range(9):
        model(torch.randn(4)).sum().backward()
        if i % 3 == 0:
            evaluate(model)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "seed-set-every-step")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "seed-set-every-step") == []
