"""Sorts readings into three kinds; some were entered a second time, by the same person."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
readings = torch.randn(600, 8)
kinds = readings[:, :3].argmax(dim=1)
readings = torch.cat([readings, readings[:60]])
kinds = torch.cat([kinds, kinds[:60]])

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=DataLoader(TensorDataset(readings, kinds), batch_size=32, shuffle=True),
    loss=F.cross_entropy,
)
