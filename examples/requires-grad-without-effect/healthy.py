"""Trains a small network on random numbers."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


model = Net()
model.body.requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(100):
    x = torch.randn(32, 8)
    loss = F.mse_loss(model(x).squeeze(-1), x.sum(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
