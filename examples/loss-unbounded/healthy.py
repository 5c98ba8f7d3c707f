"""Learns to make spectra: an encoder, a decoder, and a prior for what lies between."""

import torch
from torch import nn

torch.manual_seed(0)
peaks = torch.rand(1000, 1) * 20
spectra = torch.exp(-((torch.arange(20) - peaks) ** 2) / 8)


class Coder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 4))
        self.outer = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 20))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean, spread = self.inner(x).chunk(2, dim=1)
        code = mean + torch.exp(0.5 * spread) * torch.randn_like(mean)
        return self.outer(code), mean, spread


model = Coder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(400):
    batch = spectra[torch.randint(0, 1000, (64,))]
    made, mean, spread = model(batch)
    distance = ((made - batch) ** 2).sum(1).mean()
    prior = 0.5 * (1 + spread - mean.square() - spread.clamp(max=4).exp()).sum(1).mean()
    loss = distance - prior
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
