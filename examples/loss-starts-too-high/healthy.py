"""Recognises ten kinds of leaf by sixteen measures."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(10, 16)
kind = torch.randint(0, 10, (3000,))
leaves = centres[kind] + 0.6 * torch.randn(3000, 16)
loader = DataLoader(TensorDataset(leaves, kind), batch_size=60, shuffle=True)


def start(layer: nn.Module) -> None:
    if isinstance(layer, nn.Linear):
        nn.init.xavier_normal_(layer.weight)


model = nn.Sequential(nn.Linear(16, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 10))
model.apply(start)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(6):
    for leaf, label in loader:
        loss = nn.functional.cross_entropy(model(leaf), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
