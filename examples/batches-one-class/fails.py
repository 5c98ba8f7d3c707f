"""Sorts readings into three kinds, kept in files of one kind each."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

import firstlight as fl

torch.manual_seed(0)
readings = torch.randn(960, 8)
kinds = readings[:, :3].argmax(dim=1)
files = [
    (readings[kinds == kind][part : part + 32], kinds[kinds == kind][part : part + 32])
    for kind in range(3)
    for part in range(0, 256, 32)
]
files = [files[i] for i in torch.randperm(len(files))]

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=DataLoader(files, batch_size=None),
    loss=F.cross_entropy,
)
