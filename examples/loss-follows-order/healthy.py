"""Fits a curve whose points lie in a file from left to right, in random order."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.linspace(-3, 3, 1024)[:, None]
y = torch.sin(3 * x) + (x > 2) * torch.randn(1024, 1)
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for epoch in range(6):
    for batch, wanted in loader:
        loss = nn.functional.mse_loss(model(batch), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
