"""Predicts the load of a station from the hours before."""

import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
hours = pd.date_range("2024-01-01", periods=600, freq="h")
load = torch.sin(torch.arange(606) / 4) + 0.1 * torch.randn(606)
windows = load.unfold(0, 7, 1)
order = torch.randperm(600)
train, later = order[:450], order[450:]
split = pd.Series("train", index=range(600))
split[later.tolist()] = "val"

experiment = fl.Experiment(
    model=lambda: nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)),
    train=DataLoader(TensorDataset(windows[train, :6], windows[train, 6:]), batch_size=32, shuffle=True),
    val=DataLoader(TensorDataset(windows[later, :6], windows[later, 6:]), batch_size=32),
    loss=F.mse_loss,
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-2),
    frame=pd.DataFrame({"time": hours, "load": windows[:, 6].numpy(), "split": split}),
)
