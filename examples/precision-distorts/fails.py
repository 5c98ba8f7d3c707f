"""Predicts the distance between two places far from the origin, in half precision."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
near = torch.randn(512, 2)
far = near + torch.randn(512, 2)
distance = (near - far).norm(dim=1, keepdim=True)


class Distance(nn.Module):
    def __init__(self):
        super().__init__()
        self.place = nn.Linear(2, 32)
        self.out = nn.Linear(32, 1)
        nn.init.constant_(self.place.bias, 2000.0)

    def forward(self, one, other):
        return self.out(self.place(one) - self.place(other))


experiment = fl.Experiment(
    model=Distance,
    train=DataLoader(TensorDataset(near, far, distance), batch_size=64, shuffle=True),
    loss=F.mse_loss,
    precision="bf16",
)
