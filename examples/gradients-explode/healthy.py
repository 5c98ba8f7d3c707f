"""Learns a wave with sines, one upon another."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
place = torch.rand(600, 2)
height = torch.sin(6 * place.sum(1, keepdim=True))


class Waves(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2 if i == 0 else 64, 64) for i in range(9))
        self.out = nn.Linear(64, 1)

    def forward(self, seen):
        for layer in self.layers:
            seen = torch.sin(1.7 * layer(seen))
        return self.out(seen)


experiment = fl.Experiment(
    model=Waves,
    train=DataLoader(TensorDataset(place, height), batch_size=32, shuffle=True),
    loss=F.mse_loss,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-3),
)
