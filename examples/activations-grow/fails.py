"""Raises a score that has no bound."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(512, 16)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for step in range(150):
    score = model(x[torch.randint(0, 512, (64,))])
    loss = -score.mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
print("last score", score.mean().item())
