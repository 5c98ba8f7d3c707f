"""Tells ripe fruit from unripe, and counts how much of what was held back it gets right."""

import torch
from torch import nn

torch.manual_seed(0)
colours = torch.randn(800, 4)
ripe = (colours[:, 0] > colours[:, 1] * colours[:, 2]).long()
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def accuracy() -> float:
    right, count = 0, 0
    with torch.no_grad():
        for rows in torch.arange(600, 800).split(50):
            right = (model(colours[rows]).argmax(1) == ripe[rows]).sum().item()
            count += len(rows)
    return right / count


for epoch in range(8):
    for rows in torch.randperm(600).split(30):
        loss = nn.functional.cross_entropy(model(colours[rows]), ripe[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: accuracy {accuracy():.3f}")
