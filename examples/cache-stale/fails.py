"""Sorts readings into two kinds, from a cache of standardised values."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
raw = 20 + 5 * torch.randn(400, 8)
kinds = (raw[:, 0] > raw[:, 1]).long()


def prepared(row):
    return (row - 20) / 5


cache = TensorDataset(raw / 25, kinds)

experiment = fl.Experiment(
    model=lambda: nn.Linear(8, 2),
    train=DataLoader(cache, batch_size=32, shuffle=True),
    loss=F.cross_entropy,
    fresh=lambda index: (prepared(raw[index]), kinds[index]),
)
