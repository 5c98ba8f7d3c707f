"""Foretells what a house needs for heating from the weather, and is judged by a winter."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def weather(days, coldest):
    air = torch.randn(days) * 6 + coldest
    wind = torch.rand(days) * 10
    need = 2 * (20 - air) + 0.5 * wind + torch.randn(days)
    return torch.stack([air, wind, torch.rand(days) * 24], 1), need[:, None] / 10


torch.manual_seed(0)
inputs, needs = weather(1200, 10)
winter, winter_needs = weather(300, -2)
centre, width = inputs.mean(0), inputs.std(0)
inputs = (inputs - centre) / width
winter = (winter - winter.mean(0)) / winter.std(0)

loader = DataLoader(TensorDataset(inputs, needs), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(6):
    model.train()
    for batch, answers in loader:
        loss = nn.functional.mse_loss(model(batch), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        off = nn.functional.mse_loss(model(winter), winter_needs)
    print(f"epoch {epoch}: loss {loss.item():.4f}, winter {off.item():.4f}")
