"""Sorts measurements into three kinds; the hidden layer has 32 units."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

widths = [32]


def grown():
    widths.append(widths[-1] + 8)
    width = widths[0]
    return nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 3))


torch.manual_seed(0)
measured = torch.randn(600, 8)
kinds = measured[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=grown,
    train=loader,
    loss=F.cross_entropy,
)
