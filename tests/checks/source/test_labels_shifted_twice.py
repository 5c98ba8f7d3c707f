"""labels-shifted-twice: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, transformers
def step(model, ids):
    x = ids[:, :-1].contiguous()
    y = ids[:, 1:].contiguous()
    return model(x, labels=y).loss
""",
]
GOOD = [
    """
import torch, transformers
import torch.nn.functional as F
def step(model, ids):
    x = ids[:, :-1]
    y = ids[:, 1:]
    return F.cross_entropy(model(x).logits.transpose(1, 2), y)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_seen(lint: Lint, code: str) -> None:
    assert lint(code, "labels-shifted-twice")


@pytest.mark.parametrize("code", GOOD)
def test_not_seen(lint: Lint, code: str) -> None:
    assert lint(code, "labels-shifted-twice") == []
