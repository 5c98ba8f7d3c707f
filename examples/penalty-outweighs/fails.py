"""Estimates the weight of a fish from its measures, with small weights preferred."""

import torch
from torch import nn

torch.manual_seed(0)

LENGTHS = torch.randn(6)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for step in range(120):
    measures = torch.randn(64, 6)
    weight = measures @ LENGTHS + 0.1 * torch.randn(64)
    error = (model(measures).squeeze(-1) - weight).square().mean()
    penalty = sum(values.square().sum() for values in model.parameters())
    loss = error + 3000 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
