"""returns-run-forward: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

HEAD = """
import torch
import numpy as np
"""
BAD = [
    """
def returns(rewards, gamma):
    out, G = [], 0
    for r in rewards:
        G = r + gamma * G
        out.append(G)
    return out
""",
    """
def gae(rewards, values, gamma, lam):
    advantages = torch.zeros(len(rewards))
    last = 0.0
    for t in range(len(rewards)):
        delta = rewards[t] + gamma * values[t + 1] - values[t]
        last = delta + gamma * lam * last
        advantages[t] = last
    return advantages
""",
]
GOOD = [
    """
def returns(rewards, gamma):
    out, G = [], 0
    for r in reversed(rewards):
        G = r + gamma * G
        out.append(G)
    return out
""",
    """
def returns(rewards, gamma):
    out, G = [], 0
    for r in rewards[::-1]:
        G = r + gamma * G
        out.insert(0, G)
    return out
""",
    """
def returns(rewards, gamma):
    out, G = np.zeros(len(rewards)), 0
    for t in range(len(rewards) - 1, -1, -1):
        G = rewards[t] + gamma * G
        out[t] = G
    return out
""",
    """
def running(rewards, gamma, normalizer):
    total = 0.0
    for r in rewards:
        total = r + gamma * total
    return total
""",
    """
def smoothed(losses, gamma):
    out, mean = [], 0.0
    for loss in losses:
        mean = (1 - gamma) * loss + gamma * mean
        out.append(mean)
    return out
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(HEAD + code, "returns-run-forward")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(HEAD + code, "returns-run-forward") == []
