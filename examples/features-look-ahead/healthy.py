"""Predicts the load of a station from its mean over the last hours."""

import pandas as pd
import torch
from torch import nn

import firstlight as fl


def smoothed(table):
    return pd.DataFrame({"load": table.load, "mean": table.load.rolling(5, min_periods=1).mean()})


torch.manual_seed(0)
hours = pd.date_range("2024-01-01", periods=400, freq="h")
load = (torch.sin(torch.arange(400) / 4) + 0.1 * torch.randn(400)).tolist()

experiment = fl.Experiment(
    model=lambda: nn.Linear(2, 1),
    batch=(torch.randn(32, 2), torch.randn(32, 1)),
    frame=pd.DataFrame({"load": load}, index=hours),
    features=smoothed,
)
