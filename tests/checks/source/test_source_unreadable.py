"""source-unreadable: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
def f(:
""",
    """
x = 1
\0
""",
]
GOOD = [
    """
x = 1
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "source-unreadable")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "source-unreadable") == []
