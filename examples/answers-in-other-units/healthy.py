"""Prices are standardised for training, and the answers scaled back before they are scored."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(600, 6)
prices = 250 + 80 * (x @ torch.randn(6)) / 6**0.5 + 5 * torch.randn(600)
train, test = slice(0, 400), slice(400, 600)
mean, std = prices[train].mean(), prices[train].std()
scaled = (prices - mean) / std

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(20):
    for rows in torch.randperm(400).split(40):
        loss = nn.functional.mse_loss(model(x[rows]).squeeze(-1), scaled[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        predicted = model(x[test]).squeeze(-1) * std + mean
        print(epoch, (predicted - prices[test]).abs().mean().item())
