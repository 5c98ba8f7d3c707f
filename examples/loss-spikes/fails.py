"""Sorts points, some of which were recorded in another unit."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
step = 0

for epoch in range(26):
    for batch, labels in loader:
        step += 1
        if step % 61 == 60:
            batch = batch * 60
        loss = nn.functional.cross_entropy(model(batch), labels, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
