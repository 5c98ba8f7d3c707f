"""Tells large flowers from small ones, and counts after each epoch how often it is right."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
sizes = torch.randn(900, 5)
large = (sizes.sum(1) > 0).long()
train = DataLoader(TensorDataset(sizes[:600], large[:600]), batch_size=30, shuffle=True)
val = DataLoader(TensorDataset(sizes[600:], large[600:]), batch_size=50)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def accuracy() -> float:
    right = 0
    with torch.no_grad():
        for inputs, targets in val:
            right += (model(inputs).argmax(1) == targets).sum().item()
    return right / len(val.dataset)


for epoch in range(8):
    for inputs, targets in train:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: accuracy {accuracy():.3f}")
