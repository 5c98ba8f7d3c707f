"""Fits a small network to random numbers."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

x = torch.randn(256, 8)
y = x.sum(dim=1, keepdim=True)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss = F.mse_loss(model(x), y)
if loss.item() == float("nan"):
    print("the loss is not a number")
