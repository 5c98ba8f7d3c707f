"""method-not-called: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(model):
    model.eval
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F
def f(model):
    model.eval()
    g = model.eval
    return model.train
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "method-not-called")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "method-not-called") == []
