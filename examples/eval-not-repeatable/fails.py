"""Sorts measurements into three kinds, with dropout called as a function."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.lower = nn.Linear(8, 32)
        self.upper = nn.Linear(32, 3)

    def forward(self, measured):
        hidden = F.dropout(F.relu(self.lower(measured)), 0.3)
        return self.upper(hidden)


torch.manual_seed(0)
measured = torch.randn(600, 8)
kinds = measured[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=Sorter,
    train=loader,
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
)
