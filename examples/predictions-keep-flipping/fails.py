"""Sorts noisy points with steps that are far too long for the end of a training."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(1024, 16)
y = (x @ torch.randn(16, 8) + 4 * torch.randn(1024, 8)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.7)

for epoch in range(8):
    for batch, labels in loader:
        loss = nn.functional.cross_entropy(4 * model(batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
