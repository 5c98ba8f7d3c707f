"""A mean and a variance for each example; the variance keeps an axis of length 1, and meets all errors of a batch."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(512, 4)
noise = 0.1 + inputs[:, 1].sigmoid()
targets = inputs[:, 0] - 2 * inputs[:, 2] + noise * torch.randn(512)
body = nn.Sequential(nn.Linear(4, 32), nn.ReLU())
mean, spread = nn.Linear(32, 1), nn.Linear(32, 1)
parameters = [*body.parameters(), *mean.parameters(), *spread.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.005)

for _epoch in range(10):
    for batch in torch.randperm(512).split(64):
        hidden = body(inputs[batch])
        error = (mean(hidden).squeeze(1) - targets[batch]).square()
        log_variance = spread(hidden)
        loss = 0.5 * (log_variance + error * torch.exp(-log_variance)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
