"""parameter-update-lost: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

HEAD = """
import torch
from torch import nn
"""
BAD = [
    """
def step(model, lr):
    with torch.no_grad():
        for p in model.parameters():
            p = p - lr * p.grad
""",
    """
def ema(teacher, student, d):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t = t * d + s * (1 - d)
""",
    """
def ema(a, b, d):
    for (name, slow), fast in zip(a.named_parameters(), b.parameters()):
        if slow.requires_grad:
            slow = d * slow + (1 - d) * fast.detach()
""",
]
GOOD = [
    """
def step(model, lr):
    with torch.no_grad():
        for p in model.parameters():
            p -= lr * p.grad
""",
    """
def ema(teacher, student, d):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.data = t.data * d + s.data * (1 - d)
""",
    """
def inner(model, lr, grads):
    fast = []
    for p, g in zip(model.parameters(), grads):
        p = p - lr * g
        fast.append(p)
    return fast
""",
    """
def norm(model):
    total = 0.0
    for p in model.parameters():
        total = total + p.grad.norm() ** 2
    return total
""",
    """
def flat(model):
    for p in model.parameters():
        p = p.detach().view(-1)
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(HEAD + code, "parameter-update-lost")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(HEAD + code, "parameter-update-lost") == []
