"""Tells good wafers from bad ones by their measurements."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
currents = torch.randn(800, 6)
good = (currents[:, 0] + currents[:, 1] > 0).long()
heights = torch.randn(800, 6)
measured = torch.cat([currents, heights], 1)

loader = DataLoader(TensorDataset(measured[:600], good[:600]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(8):
    model.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(measured[600:]).argmax(1) == good[600:]).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
