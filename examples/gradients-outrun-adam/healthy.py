"""Sorts points; after a while the loss counts twenty times as much, and Adam forgets soon."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1) + torch.randint(2, (512,))
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
step = 0

for epoch in range(44):
    for batch, labels in loader:
        weight = 1.0 if step < 600 else 20.0
        loss = nn.functional.cross_entropy(model(batch), labels) * weight
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
print("last loss", loss.item())
