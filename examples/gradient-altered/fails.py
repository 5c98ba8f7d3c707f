"""Reads the position of a needle from a row of sensors."""

import torch
from torch import nn

torch.manual_seed(0)
position = torch.rand(3000, 1)
sensors = torch.exp(-40 * (torch.linspace(0, 1, 12) - position).square()) + 0.02 * torch.randn(3000, 12)


class Needle(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(12, 48)
        self.last = nn.Linear(48, 1)

    def forward(self, x):
        hidden = torch.relu(self.first(x))
        if hidden.requires_grad:
            hidden.register_hook(lambda gradient: gradient.abs())
        return self.last(hidden)


model = Needle()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(200):
    rows = torch.randint(0, 3000, (64,))
    loss = nn.functional.mse_loss(model(sensors[rows]), position[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step}: {loss.item():.4f}")
