"""load-runs-code: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch
torch.load('x', weights_only=False)
""",
]
GOOD = [
    """
import torch
torch.load('x')
torch.load('x', weights_only=True)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "load-runs-code")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "load-runs-code") == []
