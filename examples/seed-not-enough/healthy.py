"""Sorts measurements into three kinds, with noise from a generator of its own."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.sort = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
        self.noise = torch.Generator()
        self.noise.manual_seed(1)

    def forward(self, measured):
        noisy = measured + 0.1 * torch.randn(measured.shape, generator=self.noise) * self.training
        return self.sort(noisy)


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
