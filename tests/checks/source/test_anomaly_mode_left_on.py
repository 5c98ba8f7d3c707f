"""anomaly-mode-left-on: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch
torch.autograd.set_detect_anomaly(True)
""",
]
GOOD = [
    """
import torch
def f(debug):
    torch.autograd.set_detect_anomaly(debug)
    torch.autograd.set_detect_anomaly(False)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "anomaly-mode-left-on")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "anomaly-mode-left-on") == []
