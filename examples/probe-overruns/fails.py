"""Sorts measurements that a slow instrument delivers: one batch takes longer than the whole check may."""

import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Slow(TensorDataset):
    def __getitem__(self, index):
        time.sleep(SECONDS_A_READING)
        return super().__getitem__(index)


SECONDS_A_READING = 30.0
torch.manual_seed(0)
measured = torch.randn(64, 4)

experiment = fl.Experiment(
    model=lambda: nn.Linear(4, 2),
    train=DataLoader(Slow(measured, (measured[:, 0] > 0).long()), batch_size=8),
    loss=F.cross_entropy,
)
