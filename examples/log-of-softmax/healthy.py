"""Fits a small network to random numbers."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

x = torch.randn(256, 8)
y = x.sum(dim=1, keepdim=True)
model = nn.Linear(8, 4)
print(F.log_softmax(100 * model(x), dim=1).min())
