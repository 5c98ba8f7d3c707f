"""Chooses how many of 400 tokens to look at, for each image; never fewer than 64."""

import torch
from torch import nn

import firstlight as fl


class Budget(nn.Module):
    def forward(self, scores):
        return 64 + 336 * torch.sigmoid(4 * scores)


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)
        self.budget = Budget()

    def forward(self, images):
        return self.budget(self.score(images))


torch.manual_seed(0)

experiment = fl.Experiment(
    model=Attend,
    batch=(torch.randn(16, 8), torch.zeros(16, 1)),
    invariants=[fl.Invariant(name="token_budget", on="budget", check="64 <= min and max <= 400")],
)
