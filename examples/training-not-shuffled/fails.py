"""Fits a small network to random numbers."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

x = torch.randn(256, 8)
y = x.sum(dim=1, keepdim=True)
train_data = TensorDataset(x[y.flatten().argsort()], y.sort(dim=0).values)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(train_data, batch_size=32)
for epoch in range(5):
    for inputs, targets in loader:
        loss = F.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
