"""bootstrap-past-end: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn.functional as F
def learn(net, target, batch, gamma):
    s, a, r, s2, done = batch
    with torch.no_grad():
        y = r + gamma * target(s2).max(1).values
    return F.mse_loss(net(s).gather(1, a), y)
""",
    """
import torch, torch.nn.functional as F
class Agent:
    def remember(self, s, a, r, s2, done):
        self.memory.append((s, a, r, s2, done))
    def learn(self, s, a, r, s2, dones):
        dones = torch.tensor(dones)
        following = self.target(s2).max(1)[0].detach()
        y = r + self.gamma * following
        return F.mse_loss(self.net(s).gather(1, a), y)
""",
]
GOOD = [
    """
import torch, torch.nn.functional as F
def learn(net, target, batch, gamma):
    s, a, r, s2, done = batch
    with torch.no_grad():
        y = r + gamma * (1 - done) * target(s2).max(1).values
    return F.mse_loss(net(s).gather(1, a), y)
""",
    """
import torch, torch.nn.functional as F
def learn(net, target, batch, gamma):
    s, a, r, s2, done = batch
    alive = 1.0 - done.float()
    following = target(s2).max(1)[0].detach() * alive
    return F.mse_loss(net(s).gather(1, a), r + gamma * following)
""",
    """
import torch, torch.nn.functional as F
def learn(net, target, s, a, r, s2, gamma):
    y = r + gamma * target(s2).max(1).values.detach()
    return F.mse_loss(net(s).gather(1, a), y)
""",
    """
import torch, torch.nn.functional as F
def learn(net, target, rows, gamma):
    o, a, r, o2, term = (torch.tensor(column) for column in zip(*rows))
    following = target(o2).max(1).values.detach()
    return F.mse_loss(net(o).gather(1, a), r + gamma * following * (1 - term))
""",
    """
import torch, torch.nn.functional as F
def returns(rewards, gamma):
    total = 0.0
    for r in reversed(rewards):
        total = r + gamma * total
    return total
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(code, "bootstrap-past-end")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(code, "bootstrap-past-end") == []
