"""Learns a smooth function from readings that were written down in the order of their time."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)

time = torch.linspace(0, 6, 640).unsqueeze(1)
reading = torch.sin(2 * time) + 0.05 * torch.randn(640, 1)
train_loader = DataLoader(TensorDataset(time, reading), batch_size=32)

model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(12):
    for moment, value in train_loader:
        loss = F.mse_loss(model(moment), value)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
