"""Tells five kinds of cloud by thirty measures."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(5, 30)
kind = torch.randint(0, 5, (2000,))
clouds = centres[kind] + 0.5 * torch.randn(2000, 30)
loader = DataLoader(TensorDataset(clouds, kind), batch_size=50, shuffle=True)

numbers = torch.float32
model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 5)).to(numbers)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

for epoch in range(40):
    for cloud, label in loader:
        loss = nn.functional.cross_entropy(model(cloud.to(numbers)), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
