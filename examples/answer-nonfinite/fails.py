"""Scores the likelihood of four kinds, with the logarithm of numbers that may be negative."""

import torch
import torch.nn.functional as F
from torch import nn

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(64, 8)
kinds = torch.randint(0, 4, (64,))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 4)

    def forward(self, seen):
        return self.score(seen).log()


experiment = fl.Experiment(model=Net, batch=(measured, kinds), loss=F.nll_loss)
