"""bootstrap-from-same-state: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn.functional as F
def learn(net, target, batch, gamma):
    s, a, r, s2, done = batch
    with torch.no_grad():
        best = net(s2).argmax(1, keepdim=True)
        y = r + gamma * (1 - done) * target(s).gather(1, best)
    return F.mse_loss(net(s).gather(1, a), y)
""",
]
GOOD = [
    """
import torch, torch.nn.functional as F
def learn(net, target, batch, gamma):
    s, a, r, s2, done = batch
    y = r + gamma * (1 - done) * target(s2).max(1).values.detach()
    return F.mse_loss(net(s).gather(1, a), y)
""",
    """
import torch, torch.nn.functional as F
def act(net, env, gamma):
    s = env.reset()
    while True:
        q = net(s)
        next_s, r, done = env.step(q.argmax())
        s = next_s
        y = r + gamma * net(s).max().detach()
        F.mse_loss(q.max(), y).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(code, "bootstrap-from-same-state")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(code, "bootstrap-from-same-state") == []
