"""copy-never-updated: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

HEAD = """
import copy
import torch
from copy import deepcopy
"""
BAD = [
    """
def train(model, loader, optimizer):
    target_net = copy.deepcopy(model)
    target_net.eval()
    for x, y in loader:
        loss = (model(x) - target_net(x)).pow(2).mean()
        loss.backward()
        optimizer.step()
""",
    """
class Agent:
    def __init__(self, q):
        self.q = q
        self.q_target = deepcopy(q).requires_grad_(False)
    def learn(self, s, r, ns):
        loss = (self.q(s) - r - self.q_target(ns)).pow(2).mean()
        loss.backward()
""",
]
GOOD = [
    """
def train(model, loader, optimizer):
    target_net = copy.deepcopy(model)
    for x, y in loader:
        loss = (model(x) - target_net(x)).pow(2).mean()
        loss.backward()
        optimizer.step()
        soft_update(target_net, model)
""",
    """
def train(model, loader, optimizer, tau):
    ema = copy.deepcopy(model)
    for x, y in loader:
        loss = (model(x) - ema(x)).pow(2).mean()
        loss.backward()
        optimizer.step()
        for a, b in zip(ema.parameters(), model.parameters()):
            a.data.lerp_(b.data, tau)
""",
    """
def distil(model, loader, optimizer):
    teacher = copy.deepcopy(model)
    for x, y in loader:
        loss = (model(x) - teacher(x)).pow(2).mean()
        loss.backward()
        optimizer.step()
""",
    """
class Agent:
    def __init__(self, q):
        self.q = q
        self.target = deepcopy(q)
    def learn(self, s, r, ns):
        loss = (self.q(s) - r - self.target(ns)).pow(2).mean()
        loss.backward()
    def sync(self):
        self.target.load_state_dict(self.q.state_dict())
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(HEAD + code, "copy-never-updated")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(HEAD + code, "copy-never-updated") == []
