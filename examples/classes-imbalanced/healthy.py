"""Finds the few faulty parts among many good ones."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
parts = torch.randn(3000, 12)
faulty = (parts[:, 0] * parts[:, 1] > 1.9).long()
share = faulty.float().mean()
evenly = WeightedRandomSampler(torch.where(faulty == 1, 1 - share, share), len(parts))
loader = DataLoader(TensorDataset(parts, faulty), batch_size=64, sampler=evenly)

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(8):
    for measured, kind in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(measured), kind)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
