"""Predicts a price from six measurements, and how well on rows that were held back."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
rows = torch.randn(600, 6)
prices = rows @ torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0, -1.0]) + 0.1 * torch.randn(600)
order = torch.randperm(600)
train, held_back = order[:480][:10], order[480:]

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(60):
    for part in train[torch.randperm(len(train))].split(40):
        loss = F.mse_loss(model(rows[part]).squeeze(1), prices[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = F.mse_loss(model(rows[held_back]).squeeze(1), prices[held_back])
    print(f"epoch {epoch}: {error.item():.4f}")
