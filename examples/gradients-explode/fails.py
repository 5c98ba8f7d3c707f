"""Predicts prices in thousands with plain gradient descent."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
rooms = torch.randn(600, 8)
price = (1000 * rooms @ torch.randn(8, 1)).detach()
loader = DataLoader(TensorDataset(rooms, price), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)),
    train=loader,
    loss=F.mse_loss,
    optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=1.0),
)
