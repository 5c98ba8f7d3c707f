"""advantage-carries-gradient: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

HEAD = """
import torch
"""
BAD = [
    """
def update(model, optimizer, obs, actions, returns):
    logits, values = model(obs)
    adv = returns - values.squeeze(-1)
    logp = torch.log_softmax(logits, -1).gather(1, actions)
    loss = -(logp * adv).mean() + adv.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    """
class Agent:
    def learn(self, obs, actions, returns):
        value = self.critic(obs)
        advantage = returns - value
        log_prob = self.policy(obs).log_prob(actions)
        loss = -(advantage * log_prob).mean() + (returns - value).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
""",
]
GOOD = [
    """
def update(model, optimizer, obs, actions, returns):
    logits, values = model(obs)
    adv = (returns - values.squeeze(-1)).detach()
    logp = torch.log_softmax(logits, -1).gather(1, actions)
    loss = -(logp * adv).mean()
    optimizer.zero_grad()
    loss.backward()
""",
    """
def update(model, optimizer, obs, actions, returns):
    logits, values = model(obs)
    adv = returns - values
    logp = torch.log_softmax(logits, -1).gather(1, actions)
    loss = -(logp * adv.detach()).mean() + adv.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
""",
    """
def update(actor, critic, optimizer, obs, actions, returns):
    with torch.no_grad():
        values = critic(obs)
    adv = returns - values
    logp = actor(obs).log_prob(actions)
    loss = -(logp * adv).mean()
    optimizer.zero_grad()
    loss.backward()
""",
    """
def update(actor, critic, actor_opt, critic_opt, obs, actions, returns):
    values = critic(obs)
    adv = returns - values
    logp = actor(obs).log_prob(actions)
    actor_opt.zero_grad()
    (-(logp * adv).mean()).backward(retain_graph=True)
    actor_opt.step()
    critic_opt.zero_grad()
    adv.pow(2).mean().backward()
    critic_opt.step()
""",
    """
def update(actor, optimizer, obs, actions, returns):
    baseline = returns.mean()
    adv = returns - baseline
    logp = actor(obs).log_prob(actions)
    optimizer.zero_grad()
    (-(logp * adv).mean()).backward()
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(HEAD + code, "advantage-carries-gradient")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(HEAD + code, "advantage-carries-gradient") == []
