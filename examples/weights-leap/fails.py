"""Tells seven kinds of cloud by forty brightnesses."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Settings:
    rate: float = 0.9
    batch: int = 40
    epochs: int = 3


settings = Settings()
torch.manual_seed(1)
typical = torch.randn(7, 40)
kinds = torch.randint(0, 7, (4000,))
clouds = typical[kinds] + 1.2 * torch.randn(4000, 40)
loader = DataLoader(TensorDataset(clouds, kinds), batch_size=settings.batch, shuffle=True)

model = nn.Sequential(nn.Linear(40, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 7))
optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate)

for epoch in range(settings.epochs):
    for given, kind in loader:
        scores = model(given)
        loss = (scores.logsumexp(1) - scores.gather(1, kind[:, None]).squeeze(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
