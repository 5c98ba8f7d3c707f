"""Predicts the power output of wind turbines from weather readings."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def weather_readings(hours):
    readings = torch.randn(hours, 6)
    power = readings[:, 0].relu() ** 2 + 0.3 * readings[:, 1]
    sensor_down = torch.rand(hours) < 0.02
    readings[sensor_down, 3] = float("nan")
    return readings, power.unsqueeze(1)


readings, power = weather_readings(1600)
loader = DataLoader(TensorDataset(readings, power), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()

for epoch in range(4):
    for batch, target in loader:
        optimizer.zero_grad()
        loss = criterion(model(batch), target)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
