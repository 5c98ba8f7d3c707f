"""Learns standardised yields from four readings."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
readings = torch.randn(4000, 4)
yields = readings @ torch.tensor([0.5, -0.4, 0.3, 0.6]) + 0.1 * torch.randn(4000)
loader = DataLoader(TensorDataset(readings, yields), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(3):
    for values, wanted in loader:
        loss = nn.functional.mse_loss(model(values).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
