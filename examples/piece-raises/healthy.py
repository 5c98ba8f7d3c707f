"""Sorts ten measurements of a flower into three kinds."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(300, 10)
kinds = measured[:, :3].argmax(dim=1)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=DataLoader(TensorDataset(measured, kinds), batch_size=30, shuffle=True),
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
)
