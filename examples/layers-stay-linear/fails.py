"""Fits the height of a wave from three readings."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
readings = torch.randn(640, 3)
height = (2 * readings[:, :1]).sin() + readings[:, 1:2] * readings[:, 2:] + 0.05 * torch.randn(640, 1)
loader = DataLoader(TensorDataset(readings, height), batch_size=32, shuffle=True)


class Wave(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.into = nn.Linear(3, 64)
        self.middle = nn.Linear(64, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.into(x)
        x = self.middle(x)
        return self.out(x)


model = Wave()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(20):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
