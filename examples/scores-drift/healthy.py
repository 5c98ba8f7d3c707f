"""Sorts noisy points; a penalty holds all scores near zero."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(1024, 16)
y = (x @ torch.randn(16, 4) + 3 * torch.randn(1024, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(32):
    for batch, labels in loader:
        scores = model(batch)
        penalty = 2e-2 * scores.logsumexp(dim=1).square().mean()
        loss = nn.functional.cross_entropy(scores, labels) + penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
