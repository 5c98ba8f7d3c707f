"""Tells eight kinds of shell by their outlines: the parity of a few ridges, which no straight line tells apart."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(32, 16)
ridge = torch.randint(0, 32, (4000,))
outline = centres[ridge] + 0.2 * torch.randn(4000, 16)
kind = ridge % 8
loader = DataLoader(TensorDataset(outline, kind), batch_size=80, shuffle=True)

body = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU())
head = nn.Linear(24, 8)
groups = [{"params": body.parameters(), "lr": 1e-6}, {"params": head.parameters()}]
optimizer = torch.optim.Adam(groups, lr=3e-3)

for epoch in range(8):
    for rows, labels in loader:
        loss = nn.functional.cross_entropy(head(body(rows)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
