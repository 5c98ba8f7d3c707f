"""Predicts prices in euros; the net ends in a squashing layer."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
rooms = torch.randn(600, 8)
price = (9000 + 1000 * rooms @ torch.randn(8, 1)).detach()
loader = DataLoader(TensorDataset(rooms, price), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid()),
    train=loader,
    val=loader,
    loss=F.mse_loss,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
)
