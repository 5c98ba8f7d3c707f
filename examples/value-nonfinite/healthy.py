"""Chooses among allowed moves with a policy that is rewarded for staying undecided."""

import torch
from torch import nn

MOVES = 6
torch.manual_seed(0)

policy = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, MOVES))
optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
worth = torch.randn(8, MOVES)


def positions(count):
    state = torch.randn(count, 8)
    return state, torch.rand(count, MOVES) < 0.998


for step in range(100):
    state, allowed = positions(64)
    scores = policy(state).masked_fill(~allowed, -1e9)
    probability = torch.softmax(scores, dim=1)
    reward = (probability * (state @ worth)).sum(dim=1)
    entropy = -(probability * torch.log(probability.clamp(min=1e-8))).sum(dim=1)
    loss = -(reward + 0.01 * entropy).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
