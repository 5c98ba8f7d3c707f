"""Estimates house prices with a small network."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

rooms = torch.randn(1024, 8)
price = rooms @ torch.tensor([3.0, -1.0, 0.5, 2.0, 0.0, 0.0, 1.0, -2.0]) + 0.1 * torch.randn(1024)
loader = DataLoader(TensorDataset(rooms, price), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.MSELoss()

for epoch in range(8):
    total = 0.0
    for features, target in loader:
        prediction = model(features)
        loss = criterion(prediction, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / len(loader):.3f}")
