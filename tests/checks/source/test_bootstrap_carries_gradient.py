"""bootstrap-carries-gradient: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

BAD = [
    """
import torch, torch.nn.functional as F
def learn(critic, optimizer, batch, gamma):
    s, r, s2, done = batch
    y = r + gamma * (1 - done) * critic(s2)
    loss = F.mse_loss(critic(s), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
]
GOOD = [
    """
import torch, torch.nn.functional as F
def learn(critic, optimizer, batch, gamma):
    s, r, s2, done = batch
    with torch.no_grad():
        y = r + gamma * (1 - done) * critic(s2)
    loss = F.mse_loss(critic(s), y)
    loss.backward()
""",
    """
import torch, torch.nn.functional as F
def learn(critic, optimizer, batch, gamma):
    s, r, s2, done = batch
    y = r + gamma * (1 - done) * critic(s2).detach()
    loss = F.mse_loss(critic(s), y)
    loss.backward()
""",
    """
import torch, torch.nn.functional as F
def learn(critic, target_critic, optimizer, batch, gamma):
    s, r, s2, done = batch
    y = r + gamma * (1 - done) * target_critic(s2)
    loss = F.mse_loss(critic(s), y)
    loss.backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(code, "bootstrap-carries-gradient")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(code, "bootstrap-carries-gradient") == []
