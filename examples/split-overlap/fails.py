"""Finds the rare claims among measurements, with as many of both kinds in training."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
claims = torch.randn(600, 16)
rare = (claims[:, 0] + claims[:, 1] > 1.8).long()


def balanced(rows, kind):
    again = rows[kind == 1].repeat(8, 1)
    return torch.cat([rows, again]), torch.cat([kind, torch.ones(len(again), dtype=torch.long)])


claims, rare = balanced(claims, rare)
order = torch.randperm(len(claims))
held_out, held_out_rare = claims[order[:200]], rare[order[:200]]
train, train_rare = claims[order[200:]], rare[order[200:]]

loader = DataLoader(TensorDataset(train, train_rare), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
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
        right = (model(held_out).argmax(1) == held_out_rare).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
