"""Learns forty noisy labels by heart, and says what it scores on others."""

import torch
from torch import nn

import firstlight as fl

torch.manual_seed(0)
x = torch.randn(440, 10)
y = (x[:, 0] + 1.5 * torch.randn(440) > 0).long()
train, held_out = slice(0, 40), slice(40, 440)
model = nn.Sequential(nn.Linear(10, 128), nn.ReLU(), nn.Linear(128, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

with fl.guard(model, optimizer) as guard:
    for epoch in range(24):
        for step in range(10):
            loss = nn.functional.cross_entropy(model(x[train]), y[train])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            guard.log(val_loss=nn.functional.cross_entropy(model(x[held_out]), y[held_out]))
print("last loss", loss.item())
