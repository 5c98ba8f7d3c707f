"""Fits a linear model of fuel use to trips of cars."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

trips = torch.randn(640, 5) * torch.tensor([1.0, 2.0, 1.5, 1.0, 0.5])
fuel = trips @ torch.tensor([[1.2], [0.4], [-0.3], [0.8], [0.0]]) + 6.0
loader = DataLoader(TensorDataset(trips, fuel), batch_size=64, shuffle=True)

model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
criterion = nn.MSELoss()

for epoch in range(6):
    for batch, used in loader:
        loss = criterion(model(batch), used)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4g}")
