"""Sorts measurements into three kinds, with the losses of a batch added up."""

import torch
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
    loss=nn.CrossEntropyLoss(reduction="sum"),
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
)
