"""Guesses the hour at which a tide is highest, with its uncertainty, from the moon and the wind."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
moon = torch.randn(4000, 6)
hour = (moon @ torch.randn(6, 1)).tanh() + 0.1 * torch.randn(4000, 1)
loader = DataLoader(TensorDataset(moon, hour), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def surprise(answer, truth):
    centre, log_width = answer.split(1, dim=1)
    return (log_width + 0.5 * ((truth - centre) / log_width.exp()) ** 2).mean()


for epoch in range(4):
    for given, truth in loader:
        loss = surprise(model(given), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
