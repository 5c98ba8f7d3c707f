"""Tells six kinds of wood by the light they send back."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(6, 20)
kind = torch.randint(0, 6, (2400,))
light = centres[kind] + 0.7 * torch.randn(2400, 20)
loader = DataLoader(TensorDataset(light, kind), batch_size=60, shuffle=True)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)

for epoch in range(6):
    for ray, label in loader:
        loss = nn.functional.cross_entropy(model(ray), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
