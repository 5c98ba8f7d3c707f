"""Fits a small network to random numbers."""

import torch
from torch import nn

torch.manual_seed(0)

x = torch.randn(256, 8)
y = x.sum(dim=1, keepdim=True)
model = nn.Linear(8, 4)
probabilities = torch.softmax(100 * model(x), dim=1)
print(torch.log(probabilities).min())
