"""Predicts two sums; a hook that was to shrink large gradients turns them round."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
given = torch.randn(512, 6)
sums = torch.stack([given[:, :3].sum(1), given[:, 3:].sum(1)], dim=1)


def shrunk(gradient):
    return -gradient / gradient.norm().clamp(min=1.0)


def model():
    net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 2))
    for parameter in net.parameters():
        parameter.register_hook(shrunk)
    return net


experiment = fl.Experiment(
    model=model,
    train=DataLoader(TensorDataset(given, sums), batch_size=32, shuffle=True),
    loss=F.mse_loss,
    optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=0.1),
)
