"""fitted-before-split: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

def main(X, y):
    scaler = StandardScaler()
    X = scaler.fit_transform(X)
    return train_test_split(X, y)
""",
    """
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

def main(X, y):
    scaler = StandardScaler()
    scaler.fit(X)
    Z = scaler.transform(X)
    return train_test_split(Z, y)
""",
]
GOOD = [
    """
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

def main(X, y):
    a, b, c, d = train_test_split(X, y)
    scaler = StandardScaler()
    a = scaler.fit_transform(a)
    b = scaler.transform(b)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "fitted-before-split")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "fitted-before-split") == []
