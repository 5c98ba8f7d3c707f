"""split-comes-late: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
from imblearn.over_sampling import RandomOverSampler
from sklearn.model_selection import train_test_split
def main(X, y):
    ros = RandomOverSampler()
    X_res, y_res = ros.fit_resample(X, y)
    return train_test_split(X_res, y_res)
""",
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
from imblearn.under_sampling import RandomUnderSampler
from sklearn.model_selection import train_test_split
def main(X, y):
    a, b = RandomUnderSampler().fit_resample(X, y)
    return train_test_split(a, b)
""",
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
    assert lint(code, "split-comes-late")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "split-comes-late") == []


@pytest.mark.parametrize(
    ("given", "cause"), [("X", "data-leak-split"), ("X, y", "data-leak-target"), ("X, y=y", "data-leak-target")]
)
def test_a_fit_that_is_given_answers_may_have_put_them_into_the_features(lint: Lint, given: str, cause: str) -> None:
    (evidence,) = lint(BAD[1].replace("fit_transform(X)", f"fit_transform({given})"), "split-comes-late")

    assert evidence.cause == cause
