"""Turns (batch, time, channels) into what a convolution takes."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 8, kernel_size=3)

    def forward(self, x):
        batch, time, channels = x.shape
        assert channels == 3
        return self.conv(x.transpose(1, 2))


print(Net()(torch.randn(2, 10, 3)).shape)
