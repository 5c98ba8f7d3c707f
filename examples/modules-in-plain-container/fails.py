"""Fits a surface with a deep network whose depth is an option."""

import argparse

import torch
from torch import nn


class DeepNet(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.hidden = [nn.Linear(width, width) for _ in range(depth)]
        self.last = nn.Linear(width, 1)

    def forward(self, point):
        x = torch.tanh(self.first(point))
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.last(x)


parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=32)
parser.add_argument("--depth", type=int, default=3)
options = parser.parse_args()

torch.manual_seed(0)
model = DeepNet(options.width, options.depth)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    point = 4 * torch.rand(128, 2) - 2
    height = torch.sin(point[:, :1]) * torch.cos(point[:, 1:])
    loss = nn.functional.mse_loss(model(point), height)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
