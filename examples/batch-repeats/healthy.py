"""Classifies points on two interleaved spirals, all of them at every step."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(3)

angle = torch.rand(512) * 6
arm = torch.randint(0, 2, (512,))
points = torch.stack([angle * torch.cos(angle + 3.14 * arm), angle * torch.sin(angle + 3.14 * arm)], dim=1)

model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for step in range(120):
    loss = F.cross_entropy(model(points), arm)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
