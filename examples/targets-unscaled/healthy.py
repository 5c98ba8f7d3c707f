"""Predicts the price of a flat, in the smallest coin."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
flats = torch.randn(2000, 8)
price = 300_000 + 60_000 * (flats @ torch.randn(8)) + 5_000 * torch.randn(2000)
unit = 100_000.0
loader = DataLoader(TensorDataset(flats, price / unit), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(6):
    for flat, wanted in loader:
        loss = nn.functional.mse_loss(model(flat).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4g}")
