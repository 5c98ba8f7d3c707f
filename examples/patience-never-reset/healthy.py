"""Fits a curve and stops once the held-out error no longer falls."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-2, 2, 300).unsqueeze(1)
y = torch.sin(2 * x) + 0.1 * torch.randn(300, 1)
mixed = torch.randperm(300)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
best, waited = float("inf"), 0
for epoch in range(200):
    for rows in mixed[:240].split(40):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = nn.functional.mse_loss(model(x[mixed[240:]]), y[mixed[240:]]).item()
    if error < best:
        best, waited = error, 0
    else:
        waited += 1
        if waited >= 10:
            break
print(f"stopped after {epoch + 1} epochs at {best:.4f}")
