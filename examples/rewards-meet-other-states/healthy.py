"""Learns to steer many points to the middle by policy gradients with a baseline, a stretch of steps at a time."""

import torch
from torch import nn
from torch.distributions import Categorical

POINTS, STEPS, GAMMA = 8, 16, 0.95


class Points:
    def __init__(self):
        self.at = torch.rand(POINTS, 2) * 2 - 1

    def step(self, action):
        self.at = (
            self.at + 0.2 * (action.float() - 1)[:, None] * torch.tensor([1.0, 0.5]) + 0.05 * torch.randn(POINTS, 2)
        )
        near = self.at.abs().sum(1) < 0.4
        end = near | (self.at.abs().sum(1) > 3)
        self.at = torch.where(end[:, None], torch.rand(POINTS, 2) * 2 - 1, self.at)
        return self.at, near.float() - 0.05, end


torch.manual_seed(0)
env = Points()
policy = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 3))
critic = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=3e-3)
state = env.at

for update in range(120):
    states, actions, rewards, ends = [], [], [], []
    for _ in range(STEPS):
        with torch.no_grad():
            action = Categorical(logits=policy(state)).sample()
        states.append(state)
        actions.append(action)
        state, reward, end = env.step(action)
        rewards.append(reward)
        ends.append(end.float())
    with torch.no_grad():
        total = critic(state)[:, 0]
    returns = []
    for reward, end in zip(reversed(rewards), reversed(ends)):
        total = reward + GAMMA * total * (1 - end)
        returns.insert(0, total)
    seen, done = torch.stack(states).reshape(-1, 2), torch.stack(actions).reshape(-1)
    goal = torch.stack(returns, dim=0).reshape(-1)
    value = critic(seen)[:, 0]
    chosen = Categorical(logits=policy(seen)).log_prob(done)
    loss = -(chosen * (goal - value.detach())).mean() + nn.functional.mse_loss(value, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 20 == 0:
        print(f"update {update}: mean return {goal.mean().item():.3f}")
