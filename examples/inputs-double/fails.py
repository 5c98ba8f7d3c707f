"""Sorts readings kept as NumPy arrays into three kinds."""

import numpy
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
readings = numpy.random.default_rng(0).normal(size=(600, 8))
kinds = torch.as_tensor(readings[:, :3].argmax(axis=1))
inputs = torch.from_numpy(readings)


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 3)

    def forward(self, given):
        return self.out(given.float())


experiment = fl.Experiment(
    model=Sorter,
    train=DataLoader(TensorDataset(inputs, kinds), batch_size=32, shuffle=True),
    loss=F.cross_entropy,
)
