"""Learns to draw points on a ring against a judge of real points."""

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

torch.manual_seed(0)
drawer = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
judge = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
drawing = torch.optim.Adam(drawer.parameters(), lr=2e-3)
judging = torch.optim.Adam(judge.parameters(), lr=2e-3)
for step in range(200):
    angle = torch.rand(64) * 6.28
    real = torch.stack([angle.cos(), angle.sin()], 1)
    judge.requires_grad_(True)
    drawn = drawer(torch.randn(64, 4))
    loss = bce(judge(real), torch.ones(64, 1)) + bce(judge(drawn), torch.zeros(64, 1))
    judging.zero_grad()
    loss.backward()
    judging.step()
    judge.requires_grad_(False)
    fooled = bce(judge(drawer(torch.randn(64, 4))), torch.ones(64, 1))
    drawing.zero_grad()
    fooled.backward()
    drawing.step()
print(f"judge {loss.item():.3f}, drawer {fooled.item():.3f}")
