"""Learns to walk along a corridor to the right end by policy gradients with a baseline; the left end costs."""

import torch
from torch import nn
from torch.distributions import Categorical

LENGTH, GAMMA = 9, 0.95


class Corridor:
    def reset(self):
        self.at = int(torch.randint(2, LENGTH - 2, ()))
        return self.at

    def step(self, action):
        self.at += (1 if action else -1) * (1 if torch.rand(()) < 0.9 else -1)
        if self.at == LENGTH - 1:
            return self.at, 1.0, True
        return self.at, -1.0 if self.at == 0 else -0.02, self.at == 0


def summed(rewards, ends):
    returns, total = [], 0.0
    for reward, end in zip(reversed(rewards), reversed(ends)):
        total = reward + GAMMA * total * (not end)
        returns.append(total)
    return torch.tensor(returns[::-1])


torch.manual_seed(0)
env = Corridor()
body = nn.Sequential(nn.Embedding(LENGTH, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(body.parameters(), lr=5e-3)

for update in range(60):
    states, actions, rewards, ends = [], [], [], []
    for _ in range(6):
        state, end = env.reset(), False
        while not end:
            with torch.no_grad():
                action = Categorical(logits=body(torch.tensor(state))[:2]).sample().item()
            states.append(state)
            actions.append(action)
            state, reward, end = env.step(action)
            rewards.append(reward)
            ends.append(end)
    returns = summed(rewards, ends)
    scores, value = body(torch.tensor(states)).split([2, 1], dim=1)
    advantage = returns - value[:, 0].detach()
    chosen = Categorical(logits=scores).log_prob(torch.tensor(actions))
    loss = -(chosen * advantage).mean() + nn.functional.mse_loss(value[:, 0], returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 20 == 0:
        print(f"update {update}: mean return {returns.mean().item():.3f}")
