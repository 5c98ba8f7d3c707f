"""Reconstructs signals through a narrow autoencoder."""

import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, code))
        self.decoder = nn.Sequential(nn.Linear(code, 32), nn.ReLU(), nn.Linear(32, width))

    def forward(self, signal):
        return self.decoder(self.encoder(signal))


def signals(count, width=24):
    phase, pitch = torch.rand(count, 1) * 6.28, 0.2 + torch.rand(count, 1)
    return torch.sin(phase + pitch * torch.arange(width))


torch.manual_seed(0)
model = Autoencoder(24, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for step in range(150):
    batch = signals(64)
    loss = nn.functional.l1_loss(model(batch), batch)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
