"""Tells two kinds of panels apart by their sensors, scaled by their usual readings."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
readings = 40 + 90 * torch.randn(500, 12)
kind = (readings[:, 0] > readings[:, 1]).long()
train, held_out = readings[:400], readings[400:]
centre, width = train.mean(0), train.std(0)
train = (train - centre) / width
held_out = (held_out - centre) / width

loader = DataLoader(TensorDataset(train, kind[:400]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    model.train()
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(held_out).argmax(1) == kind[400:]).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
