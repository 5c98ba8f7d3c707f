"""tensor-result-unused: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(model, x):
    out = model(x)
    out.detach()
    return out
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(model, x, other):
    out = model(x).detach()
    model.to('cuda')
    other.to('cuda')
    out.clamp_(0)
    return out
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "tensor-result-unused")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "tensor-result-unused") == []
