"""Predicts which way a price moves, a biased coin, many days at a time."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
days = torch.randn(4000, 20)
up = (torch.rand(4000) < 0.5 + 0.15 * days[:, 0].sign()).float()[:, None]

experiment = fl.Experiment(
    model=lambda: nn.Linear(20, 1),
    train=DataLoader(TensorDataset(days, up), batch_size=200, shuffle=True),
    loss=F.binary_cross_entropy_with_logits,
    optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=0.05),
)
