"""Says what it scores on others, but divides by the wrong number of them."""

import torch
from torch import nn

import firstlight as fl

torch.manual_seed(0)
x = torch.randn(1200, 10)
y = (x[:, 0] + 0.5 * torch.randn(1200) > 0).long()
train, held_out = slice(0, 1000), slice(1000, 1200)
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

with fl.guard(model, optimizer) as guard:
    for epoch in range(12):
        for step in range(10):
            loss = nn.functional.cross_entropy(model(x[train]), y[train])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            total = nn.functional.cross_entropy(model(x[held_out]), y[held_out], reduction="sum")
            guard.log(val_loss=total / 500)
print("last loss", loss.item())
