"""Fits the flow through a valve from five readings, with a learning rate that falls from epoch to epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

readings = torch.randn(960, 5)
flow = (readings[:, :1] * readings[:, 1:2]).tanh() + readings[:, 2:3].sin() + 0.1 * torch.randn(960, 1)
loader = DataLoader(TensorDataset(readings, flow), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)


def train_epoch(rate):
    optimizer.param_groups[0]["lr"] = rate
    total = 0.0
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


for epoch in range(12):
    print(f"epoch {epoch}: {train_epoch(0.02 * 0.9**epoch):.4f}")
