"""Fits the tide, with a rate that is meant to rise over the first steps."""

import torch
from torch import nn

torch.manual_seed(0)
hours = torch.linspace(-2, 2, 400).unsqueeze(1)
tide = torch.sin(3 * hours) + 0.05 * torch.randn(400, 1)
model = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.2, total_iters=20)
for epoch in range(12):
    for rows in torch.randperm(400).split(20):
        loss = nn.functional.mse_loss(model(hours[rows]), tide[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        warm_up.step()
print(f"loss {loss.item():.4f} at a rate of {warm_up.get_last_lr()[0]:.4f}")
