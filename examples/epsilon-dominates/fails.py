"""Sorts points; the loss is a sum divided by the size of an archive."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
ARCHIVE = 2e9

for epoch in range(8):
    for batch, labels in loader:
        loss = nn.functional.cross_entropy(model(batch), labels, reduction="sum") / ARCHIVE
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
