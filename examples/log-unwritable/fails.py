"""Sorts measurements into three kinds and logs below a path that is no folder."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(600, 8)
kinds = measured[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=loader,
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
    log="/dev/null/events.ndjson",
)
