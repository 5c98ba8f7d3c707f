"""Fits a noisy curve with dropout and looks at a sample of the held-out part after each epoch."""

import torch
from torch import nn

torch.manual_seed(7)
x = torch.linspace(-2, 2, 400).unsqueeze(1)
y = torch.sin(2 * x) + 0.1 * torch.randn(400, 1)
mixed = torch.randperm(400)
train, held_out = mixed[:320], mixed[320:]
model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Dropout(0.1), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(60):
    model.train()
    for rows in train[torch.randperm(320)].split(40):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(0)
        rows = held_out[torch.randperm(80)[:40]]
        error = nn.functional.mse_loss(model(x[rows]), y[rows]).item()
print(f"error: {error:.4f}")
