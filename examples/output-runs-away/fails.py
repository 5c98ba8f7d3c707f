"""Predicts a yield together with its error bar, by the likelihood of what was measured."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.rand(1600, 4)
spread = 0.1 + 0.6 * inputs[:, 3:]
measured = torch.sin(3 * inputs[:, :1]) + inputs[:, 1:2] * inputs[:, 2:3] + spread * torch.randn(1600, 1)

body = nn.Sequential(nn.Linear(4, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
mean, log_variance = nn.Linear(64, 1), nn.Linear(64, 1)
parameters = [*body.parameters(), *mean.parameters(), *log_variance.parameters()]
optimizer = torch.optim.Adam(parameters, lr=2e-3)
for epoch in range(12):
    for index in torch.randperm(1600).split(64):
        hidden = body(inputs[index])
        log = log_variance(hidden).clamp(-7, 7)
        misfit = 0.5 * (measured[index] - mean(hidden)) ** 2 * torch.exp(-log)
        volume = 0.5 * log
        loss = misfit.mean() - volume.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}, error bar {torch.exp(0.5 * log).mean().item():.3f}")
