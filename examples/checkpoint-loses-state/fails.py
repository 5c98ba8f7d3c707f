"""Sorts measurements into three kinds and can be resumed."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


def save(path, model, optimizer):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


def load(path, model, optimizer):
    saved = torch.load(path, weights_only=True)
    model.load_state_dict(saved["model"])


torch.manual_seed(0)
measured = torch.randn(600, 8)
kinds = measured[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(measured, kinds), batch_size=32, shuffle=True)

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3)),
    train=loader,
    loss=F.cross_entropy,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
    checkpoint=(save, load),
)
