"""view-for-transpose: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch
def f(x):
    n, t, c = x.size()
    return x.reshape(n, c, t)
""",
    """
import torch
def f(x):
    n, t, c = x.shape
    x = x.view(n, c, t)
    return x
""",
]
GOOD = [
    """
import torch
def f(x):
    n, t, c = x.size()
    x = x.transpose(1, 2)
    return x.reshape(n, c, t)
""",
    """
import torch
def f(x):
    n, t, c = x.shape
    return x.view(n, t * c), x.view(n, t, c)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "view-for-transpose")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "view-for-transpose") == []
