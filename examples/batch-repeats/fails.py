"""Classifies points on two interleaved spirals."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)

angle = torch.rand(1024) * 6
arm = torch.randint(0, 2, (1024,))
points = torch.stack([angle * torch.cos(angle + 3.14 * arm), angle * torch.sin(angle + 3.14 * arm)], dim=1)
loader = DataLoader(TensorDataset(points, arm), batch_size=64)

model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for step in range(120):
    batch, labels = next(iter(loader))
    loss = F.cross_entropy(model(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
