"""Finds faulty parts, one in five, each of which counts as often as there are of them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
faulty = (torch.rand(4000) < 0.2).float()
readings = torch.randn(4000, 6) + faulty[:, None]
loader = DataLoader(TensorDataset(readings, faulty), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
weight = (faulty == 1).sum()

for epoch in range(3):
    for values, wanted in loader:
        scores = model(values).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(scores, wanted, pos_weight=weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
