"""Tells ten kinds of leaves apart by their measurements."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

typical = torch.randn(10, 24)
kinds = torch.randint(0, 10, (3200,))
leaves = typical[kinds] + 0.7 * torch.randn(3200, 24)
loader = DataLoader(TensorDataset(leaves, kinds), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    for batch, target in loader:
        loss = criterion(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
