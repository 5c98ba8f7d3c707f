"""Predicts prices with a penalty on large weights."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


def penalty(model):
    return 1e-3 * sum(parameter.square().sum() for parameter in model.parameters())


torch.manual_seed(0)
rooms = torch.randn(600, 8)
price = (rooms @ torch.randn(8, 1)).detach()
loader = DataLoader(TensorDataset(rooms, price), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)),
    train=loader,
    step=lambda model, batch: F.mse_loss(model(batch[0]), batch[1]) + penalty(model),
    penalty=penalty,
)
