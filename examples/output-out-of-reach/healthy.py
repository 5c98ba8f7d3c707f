"""Predicts how far a reading drifts from its reference, in either direction."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
readings = torch.randn(1500, 6)
drift = readings @ torch.randn(6, 1) + 0.1 * torch.randn(1500, 1)
loader = DataLoader(TensorDataset(readings, drift), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(6):
    for reading, wanted in loader:
        loss = nn.functional.mse_loss(model(reading), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
