"""Tells whether a mixture is stable by the shares of its parts."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
shares = 1 + 0.9 * torch.rand(480, 10)
stable = (shares[:, 0] > shares[:, 1]).long()
features = shares - 1.45

loader = DataLoader(TensorDataset(features[:400], stable[:400]), batch_size=32, shuffle=True)
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
        right = (model(features[400:]).argmax(1) == stable[400:]).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, held out {right.item():.3f}")
