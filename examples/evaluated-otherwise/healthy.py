"""Finds the middle of a bump in a noisy signal."""

import torch
from torch import nn

torch.manual_seed(0)
middle = 2 * torch.rand(2400, 1) - 1
signal = torch.exp(-30 * (torch.linspace(-1, 1, 16) - middle).square()) + 0.05 * torch.randn(2400, 16)
model = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def validate():
    with torch.no_grad():
        estimate = model(signal[2000:])
    return (estimate - middle[2000:]).abs().mean().item()


for step in range(200):
    rows = torch.randint(0, 2000, (64,))
    estimate = model(signal[rows])
    loss = nn.functional.mse_loss(estimate, middle[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 20:
        print(f"step {step}: {loss.item():.4f}, off by {validate():.3f}")
