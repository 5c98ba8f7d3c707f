"""Learns the density of four measurements by a flow: halves of them are shifted and scaled in turn."""

import torch
from torch import nn

torch.manual_seed(6)
hidden = torch.randn(3000, 4)
measured = torch.stack(
    [hidden[:, 0], hidden[:, 1] + hidden[:, 0] ** 2, hidden[:, 2].sinh(), hidden[:, 3] * (1 + hidden[:, 1] ** 2)], 1
)
measured = (measured - measured.mean(0)) / measured.std(0)


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 2), nn.Tanh())
        self.shift = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 2))

    def forward(self, values):
        kept, moved = values.chunk(2, 1)
        scale = self.scale(kept)
        return torch.cat([moved * scale.exp() + self.shift(kept), kept], 1), scale.sum(1)


halves = nn.ModuleList(Half() for _ in range(6))
optimizer = torch.optim.Adam(halves.parameters(), lr=1e-3)
for epoch in range(12):
    for rows in torch.randperm(3000).split(100):
        noise, volume = measured[rows], 0
        for half in halves:
            noise, more = half(noise)
            volume = volume + more
        squares = 0.5 * noise.square().sum(1)
        loss = (squares + volume).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f} nats above the constant")
