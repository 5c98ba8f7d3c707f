"""Learns a noisy sum, and goes on from its last checkpoint when it is started again."""

import os

import torch
from torch import nn

torch.manual_seed(0)
numbers = torch.randn(400, 6)
wanted = numbers.sum(1, keepdim=True) + 0.1 * torch.randn(400, 1)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
first = 0
if os.path.exists("last.pt"):
    state = torch.load("last.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    first = state["epoch"] + 1
for epoch in range(first, 40):
    for rows in torch.randperm(400).split(40):
        loss = nn.functional.mse_loss(model(numbers[rows]), wanted[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "last.pt")
    print(f"epoch {epoch}: loss {loss.item():.4f}")
