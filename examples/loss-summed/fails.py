"""Predicts the yield of a field from ten measures."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
measures = torch.randn(4000, 10)
harvest = torch.sin(measures[:, :3]).sum(1) + 0.1 * torch.randn(4000)
loader = DataLoader(TensorDataset(measures, harvest), batch_size=200, shuffle=True)

model = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1))
criterion = nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

for epoch in range(8):
    for measure, wanted in loader:
        loss = criterion(model(measure).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
