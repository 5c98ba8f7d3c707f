"""Sorts points that were recorded class after class, in random order."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(2400, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
order = y.argsort()
loader = DataLoader(TensorDataset(x[order], y[order]), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for batch, labels in loader:
    loss = nn.functional.cross_entropy(model(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("last loss", loss.item())
