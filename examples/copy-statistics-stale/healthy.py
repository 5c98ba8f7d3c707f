"""Sorts measurements into three kinds and evaluates a moving average of the weights."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
measured = 3 + 2 * torch.randn(600, 5)
kinds = (measured[:, 0] > 2).long() + (measured[:, 1] > 4).long()
model = nn.Sequential(nn.Linear(5, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))
average = copy.deepcopy(model).eval()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(30):
    for rows in torch.randperm(500).split(50):
        loss = nn.functional.cross_entropy(model(measured[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for old, new in zip(average.parameters(), model.parameters(), strict=True):
                old.lerp_(new, 0.1)
            for old, new in zip(average.buffers(), model.buffers(), strict=True):
                old.copy_(new)
    with torch.no_grad():
        right = (average(measured[500:]).argmax(1) == kinds[500:]).float().mean().item()
print(f"{right:.3f}")
