"""parameters-iterator-spent: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def main(model, loader):
    params = filter(lambda p: p.requires_grad, model.parameters())
    opt = torch.optim.Adam(params)
    for x, y in loader:
        torch.nn.utils.clip_grad_norm_(params, 1.0)
""",
]
GOOD = [
    """
import torch, torch.nn as nn, torch.nn.functional as F

def main(model, loader):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(params)
    for x, y in loader:
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "parameters-iterator-spent")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "parameters-iterator-spent") == []
