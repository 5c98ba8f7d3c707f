"""Sorts measurements into three kinds for 40 epochs, with a rate that decays by the epoch."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
measured = torch.randn(600, 8)
kinds = measured[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=loader,
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
    scheduler=lambda optimizer: torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5),
    schedule_every="epoch",
    total_steps=40 * len(loader),
)
