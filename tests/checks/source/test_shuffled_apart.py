"""shuffled-apart: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import numpy as np
def f(X_train, y_train):
    np.random.shuffle(X_train)
    np.random.shuffle(y_train)
""",
]
GOOD = [
    """
import numpy as np
def f(X, y, a, b):
    np.random.seed(0)
    np.random.shuffle(X)
    np.random.seed(0)
    np.random.shuffle(y)
    np.random.shuffle(a)
    np.random.shuffle(b)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "shuffled-apart")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "shuffled-apart") == []
