"""Estimates the yield of a reaction from the settings of the reactor."""

import torch
from torch import nn

torch.manual_seed(0)
settings = torch.randn(2000, 6)
weights = torch.randn(6)
measured = settings @ weights + settings[:, 0] * settings[:, 1] + 0.1 * torch.randn(2000)
model = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def error(prediction, target):
    difference = prediction.squeeze(1) - target
    return difference.square().mean()


for step in range(200):
    rows = torch.randint(0, 2000, (64,))
    loss = error(model(settings[rows]), measured[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step}: {loss.item():.3f}")
