"""Sorts samples into three kinds by what was measured on them."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(1200, 10)
kinds = (measured[:, :3] + 0.2 * torch.randn(1200, 3)).argmax(dim=1)
train = TensorDataset(measured[:900], kinds[:900])
val = TensorDataset(measured[900:], kinds[900:])

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=DataLoader(train, batch_size=32, shuffle=True),
    val=DataLoader(val, batch_size=32),
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=3e-3),
)
