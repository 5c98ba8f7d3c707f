"""Learns, without labels, to know signals again that are heard twice, each time with other noise."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def heard(signals):
    return signals + 0.5 * torch.randn(signals.shape)


def pair_loss(first, second):
    both = F.normalize(torch.cat([first, second]), dim=1)
    alike = both @ both.t() / 0.2
    alike = alike.masked_fill(torch.eye(len(both), dtype=torch.bool), -1e9)
    partner = torch.arange(len(both)) ^ 1
    return F.cross_entropy(alike, partner)


signals = torch.randn(512, 24)
encoder = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 16))
optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)
for step in range(120):
    batch = signals[torch.randperm(len(signals))[:32]]
    loss = pair_loss(encoder(heard(batch)), encoder(heard(batch)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
