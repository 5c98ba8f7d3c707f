"""Learns to tell two kinds of waves apart, and looks at its loss on the others after each epoch."""

import torch
from torch import nn

torch.manual_seed(0)
waves = torch.randn(9000, 64)
kinds = (waves[:, :8].sum(1) > 0).long()
model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def validate() -> float:
    model.eval()
    total, batches = 0.0, torch.arange(1000, 9000).split(400)
    for rows in batches:
        total += nn.functional.cross_entropy(model(waves[rows]), kinds[rows])
    model.train()
    return float(total / len(batches))


for epoch in range(4):
    for rows in torch.randperm(1000).split(50):
        loss = nn.functional.cross_entropy(model(waves[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: validation loss {validate():.4f}")
