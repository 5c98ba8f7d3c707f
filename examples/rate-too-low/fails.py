"""Predicts the yield of a field from weather and soil."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

fields = torch.randn(3200, 12)
yields = 2.0 + fields[:, :1] * 1.5 + torch.sin(fields[:, 1:2]) + 0.1 * torch.randn(3200, 1)
loader = DataLoader(TensorDataset(fields, yields), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5, momentum=0.9)
criterion = nn.MSELoss()

for epoch in range(2):
    for batch, target in loader:
        loss = criterion(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
