"""requires-grad-misspelt: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch
def f(p):
    p.requires_grads = False
""",
]
GOOD = [
    """
import torch
def f(p):
    p.requires_grad = False
    p.requires_grad_(True)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "requires-grad-misspelt")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "requires-grad-misspelt") == []
