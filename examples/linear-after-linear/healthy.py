"""Trains a small network on random numbers."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(100):
    x = torch.randn(32, 8)
    loss = F.mse_loss(model(x).squeeze(-1), x.sum(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
