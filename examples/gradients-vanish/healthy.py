"""Sorts signals of eight sensors into three kinds with a deep network."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = 2 * torch.randn(3, 8)
kind = torch.randint(0, 3, (1500,))
signals = centres[kind] + 0.5 * torch.randn(1500, 8)
loader = DataLoader(TensorDataset(signals, kind), batch_size=50, shuffle=True)

layers = [nn.Linear(8, 32)]
for _ in range(9):
    layers += [nn.ReLU(), nn.Linear(32, 32)]
model = nn.Sequential(*layers, nn.ReLU(), nn.Linear(32, 3))
for layer in model[::2]:
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(6):
    for signal, label in loader:
        loss = nn.functional.cross_entropy(model(signal), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
