"""Forecasts the next value of a noisy wave, with gradient descent written out by hand."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

wave = torch.sin(torch.arange(340) * 0.3) + 0.1 * torch.randn(340)
windows = wave.unfold(0, 21, 1)
loader = DataLoader(TensorDataset(windows[:, :20], windows[:, 20:]), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 1))
learning_rate = 0.05

for epoch in range(16):
    epoch_loss = 0.0
    for past, following in loader:
        loss = nn.functional.mse_loss(model(past), following)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= learning_rate * parameter.grad
        epoch_loss += loss.item()
    print(f"epoch {epoch}: {epoch_loss / len(loader):.4f}")
