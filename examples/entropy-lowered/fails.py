"""Learns which of six levers pays most, given what a lamp shows, by trying them."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(2)
pays = torch.rand(8, 6)
policy = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 6))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
usual = 0.5

for step in range(300):
    lamp = torch.randint(0, 8, (64,))
    levers = Categorical(logits=policy(nn.functional.one_hot(lamp, 8).float()))
    pulled = levers.sample()
    reward = torch.bernoulli(pays[lamp, pulled])
    tried = -(levers.log_prob(pulled) * (reward - usual)).mean()
    loss = tried + 0.3 * levers.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    usual = 0.95 * usual + 0.05 * reward.mean().item()
    if step % 100 == 0:
        print(f"step {step}: pays {usual:.2f}")
