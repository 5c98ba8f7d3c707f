"""Tells three kinds apart with Adam, at a rate for plain gradient descent on small gradients."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(512, 8)
kinds = measured[:, :3].argmax(dim=1)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3)),
    train=DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True),
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1.0),
)
