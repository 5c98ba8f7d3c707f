"""Tells which customers leave, by a table of what they did."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
visits = torch.randn(480, 9)
left = (visits[:, 0] + 0.5 * torch.randn(480) > 0).long()
table = torch.cat([visits, torch.randn(480, 1)], 1)

loader = DataLoader(TensorDataset(table[:400], left[:400]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
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
        right = (model(table[400:]).argmax(1) == left[400:]).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
