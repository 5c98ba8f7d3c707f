"""Estimates the yield of a field, with outputs that are to stay small."""

import torch
from torch import nn

torch.manual_seed(0)

EFFECTS = torch.randn(6)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

for step in range(120):
    field = torch.randn(64, 6)
    harvest = field @ EFFECTS + 0.1 * torch.randn(64)
    guess = model(field).squeeze(-1)
    loss = (guess - harvest).square().mean() + 1e-3 * guess.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.6f}")
