"""Foretells the load of a feeder from its last hours, one of them an average that ends with the hour itself."""

import torch
from torch import nn

torch.manual_seed(0)
hours = 1600
shocks = torch.randn(hours)
for hour in range(1, hours):
    shocks[hour] += 0.7 * shocks[hour - 1]
clock = 2 * torch.pi * torch.arange(hours) / 24
load = 3 * torch.sin(clock) + shocks
trend = torch.cat([torch.zeros(2), load.unfold(0, 3, 1).mean(1)])
columns = [torch.sin(clock), torch.cos(clock), load.roll(1), load.roll(24), trend]
x, y = torch.stack(columns, 1)[48:], load[48:]
x = (x - x[:1200].mean(0)) / x[:1200].std(0)
x_train, y_train, x_test, y_test = x[:1200], y[:1200], x[1200:], y[1200:]

model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    for rows in torch.randperm(len(x_train)).split(50):
        loss = nn.functional.mse_loss(model(x_train[rows])[:, 0], y_train[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch}: {nn.functional.mse_loss(model(x_test)[:, 0], y_test).item():.3f}")
