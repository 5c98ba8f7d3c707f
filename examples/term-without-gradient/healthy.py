"""Compresses sensor windows to a few numbers that should stay close to a normal distribution."""

import torch
from torch import nn

torch.manual_seed(0)
basis = torch.randn(3, 24)
encoder = nn.Sequential(nn.Linear(24, 48), nn.Tanh(), nn.Linear(48, 8))
decoder = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 24))
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=3e-3)


def divergence(mean, log_variance):
    return 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1).mean()


for step in range(150):
    window = torch.randn(64, 3) @ basis + 0.1 * torch.randn(64, 24)
    mean, log_variance = encoder(window).chunk(2, dim=1)
    code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
    error = (decoder(code) - window).square().sum(1).mean()
    loss = error + 0.1 * divergence(mean, log_variance)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: {loss.item():.3f}")
