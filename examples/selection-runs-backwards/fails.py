"""Tells two kinds of signals apart and keeps the weights that did best on the held-out part."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
signals = torch.randn(500, 6)
kinds = (signals[:, 0] + signals[:, 1] * signals[:, 2] > 0).long()
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
best, kept = float("inf"), copy.deepcopy(model.state_dict())
for epoch in range(40):
    for rows in torch.randperm(400).split(50):
        loss = nn.functional.cross_entropy(model(signals[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        quality = (model(signals[400:]).argmax(1) == kinds[400:]).float().mean().item()
    if quality < best:
        best, kept = quality, copy.deepcopy(model.state_dict())
model.load_state_dict(kept)
print(f"kept {best:.3f}")
