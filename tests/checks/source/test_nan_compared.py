"""nan-compared: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import numpy as np
def f(x):
    return x != np.nan
""",
]
GOOD = [
    """
import numpy as np
def f(x):
    return np.isnan(x) or x == 1 or x is np.nan
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "nan-compared")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "nan-compared") == []
