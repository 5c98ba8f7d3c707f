"""Predicts the power output of wind turbines from weather readings, some of which are missing."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class PowerModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, readings):
        known = torch.isfinite(readings)
        filled = torch.where(known, readings, 0.0)
        return self.net(torch.cat([filled, known.float()], dim=1))


readings = torch.randn(1600, 6)
power = (readings[:, 0].relu() ** 2 + 0.3 * readings[:, 1]).unsqueeze(1)
readings[torch.rand(1600) < 0.02, 3] = float("nan")
loader = DataLoader(TensorDataset(readings, power), batch_size=64, shuffle=True)

model = PowerModel()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()

for epoch in range(4):
    for batch, target in loader:
        optimizer.zero_grad()
        loss = criterion(model(batch), target)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
