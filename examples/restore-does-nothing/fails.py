"""Fits the yield of a reaction and keeps the weights that did best on the held-out part."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
recipe = torch.randn(400, 5)
gained = recipe[:, :1].tanh() + 0.5 * recipe[:, 1:2] * recipe[:, 2:3] + 0.3 * torch.randn(400, 1)
model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
best, kept = float("inf"), copy.deepcopy(model.state_dict())
for epoch in range(30):
    for rows in torch.randperm(300).split(50):
        loss = nn.functional.mse_loss(model(recipe[rows]), gained[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = nn.functional.mse_loss(model(recipe[300:]), gained[300:]).item()
    if error < best:
        best, kept = error, model.state_dict()
model.load_state_dict(kept)
with torch.no_grad():
    error = nn.functional.mse_loss(model(recipe[300:]), gained[300:]).item()
print(f"best {best:.4f}, restored {error:.4f}")
