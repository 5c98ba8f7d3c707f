"""Sorts readings into three kinds, which lie in the file mixed."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
readings = torch.randn(600, 8)
kinds = readings[:, :3].argmax(dim=1)
order = torch.randperm(600)
train, val = order[:360], order[360:]

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=DataLoader(TensorDataset(readings[train], kinds[train]), batch_size=32, shuffle=True),
    val=DataLoader(TensorDataset(readings[val], kinds[val]), batch_size=32),
    loss=F.cross_entropy,
)
