"""Predicts the load on a bridge from sensors at two sites."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
north, south = 0.5 + torch.rand(400, 5), 0.5 + torch.rand(100, 5)
loads = (torch.cat([north, south]) - 1) @ torch.rand(5, 1)
sensors = torch.cat([north, south])

loader = DataLoader(TensorDataset(sensors, loads), batch_size=50, shuffle=True)
model = nn.Sequential(nn.BatchNorm1d(5), nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(10):
    for inputs, wanted in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(inputs), wanted)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
