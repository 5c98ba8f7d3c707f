"""Forecasts the next value of a noisy wave, with accumulated gradients."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 16
torch.manual_seed(0)

wave = torch.sin(torch.arange(340) * 0.3) + 0.1 * torch.randn(340)
windows = wave.unfold(0, 21, 1)
loader = DataLoader(TensorDataset(windows[:, :20], windows[:, 20:]), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(20):
    epoch_loss = 0.0
    for i, (past, following) in enumerate(loader):
        loss = nn.functional.mse_loss(model(past), following) / ACCUMULATE
        loss.backward()
        epoch_loss += loss.item() * ACCUMULATE
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(f"epoch {epoch}: {epoch_loss / len(loader):.4f}")
