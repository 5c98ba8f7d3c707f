"""Forecasts the next four values of a noisy wave from the last sixteen."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
wave = torch.sin(torch.arange(1200) / 5) + 0.2 * torch.randn(1200)
windows = wave.unfold(0, 20, 1)
past, future = windows[:, :16, None], windows[:, 16:20]


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.GRU(1, 16, batch_first=True)
        self.out = nn.Linear(16, 4)

    def forward(self, past):
        return self.out(self.memory(past)[0][:, -1])


experiment = fl.Experiment(
    model=Forecast,
    train=DataLoader(TensorDataset(past, future), batch_size=32, shuffle=True),
    loss=F.mse_loss,
)
