"""Predicts tomorrow's price from the growth of the last days; some prices are zero."""

import pandas as pd
import torch
from torch import nn

import firstlight as fl


def grown(table):
    day, week = (table.price / table.price.shift(days) - 1 for days in (1, 7))
    return pd.DataFrame({"day": day, "week": week})


torch.manual_seed(0)
price = (100 + torch.randn(200).cumsum(0)).tolist()

experiment = fl.Experiment(
    model=lambda: nn.Linear(2, 1),
    batch=(torch.randn(32, 2), torch.randn(32, 1)),
    frame=pd.DataFrame({"price": price}),
    features=grown,
)
