"""Predicts prices as a base price and a share of it."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Pricing(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(8, 1)
        self.share = nn.Linear(8, 1)

    def forward(self, rooms):
        return self.base(rooms) * self.share(rooms)


torch.manual_seed(0)
rooms = torch.randn(600, 8)
price = (rooms @ torch.randn(8, 1)).detach()
loader = DataLoader(TensorDataset(rooms, price), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=Pricing,
    train=loader,
)
