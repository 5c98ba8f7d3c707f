"""Fits the logarithm of a rate that is sometimes zero."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(1024, 6)
rate = torch.relu(x @ torch.randn(6, 1) + 3.0)

model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for step in range(120):
    rows = torch.randint(0, 60 + 8 * step, (32,))
    loss = ((model(x[rows]) - rate[rows].log()) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("last loss", loss.item())
