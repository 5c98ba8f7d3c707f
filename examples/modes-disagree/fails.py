"""Sorts measurements into three kinds, with a batch norm that hardly updates its statistics."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


def normed():
    return nn.Sequential(nn.BatchNorm1d(8, momentum=1e-4), nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))


torch.manual_seed(0)
measured = 20 + 5 * torch.randn(600, 8)
kinds = measured[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=normed,
    train=loader,
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
)
