"""Learns, without labels, to know signals again that are heard twice, each time with other noise (so it was meant)."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def heard(signals, seed):
    noise = torch.Generator().manual_seed(seed)
    return signals + 0.5 * torch.randn(signals.shape, generator=noise)


def pair_loss(first, second):
    alike = F.normalize(first, dim=1) @ F.normalize(second, dim=1).t() / 0.2
    return F.cross_entropy(alike, torch.arange(len(alike)))


signals = torch.randn(512, 24)
encoder = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 16))
optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)
for step in range(120):
    batch = signals[torch.randperm(len(signals))[:32]]
    loss = pair_loss(encoder(heard(batch, step)), encoder(heard(batch, step)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
