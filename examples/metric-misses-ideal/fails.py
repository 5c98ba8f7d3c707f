"""Tells two kinds apart; the accuracy compares every answer with every target."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(512, 8)
sick = (measured[:, :1] > 0).float()


def accuracy(scores, target):
    return ((scores[:, 0] > 0) == (target > 0.5)).float().mean()


experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)),
    train=DataLoader(TensorDataset(measured, sick), batch_size=32, shuffle=True),
    loss=F.binary_cross_entropy_with_logits,
    metric=accuracy,
)
