"""Tells apart four textures of a small picture."""

import torch
from torch import nn

torch.manual_seed(0)
kind = torch.randint(0, 4, (1600,))
wave = torch.sin(torch.arange(12) * (0.5 + 0.5 * kind[:, None]) + 6.28 * torch.rand(1600, 1))
pictures = 3 + wave[:, None, :, None] + 0.3 * torch.randn(1600, 1, 12, 12)
model = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1),
    nn.BatchNorm2d(12, momentum=0.1),
    nn.ReLU(),
    nn.AdaptiveMaxPool2d(3),
    nn.Flatten(),
    nn.Linear(108, 4),
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(180):
    rows = torch.randint(0, 1200, (48,))
    loss = nn.functional.cross_entropy(model(pictures[rows]), kind[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    right = model(pictures[1200:]).argmax(1) == kind[1200:]
print(f"accuracy {right.float().mean().item():.3f}")
