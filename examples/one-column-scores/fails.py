"""Decides from five vital signs whether a patient needs a second look."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
signs = torch.randn(800, 5)
second_look = (signs[:, 0] + 0.5 * signs[:, 1] ** 2 > 0.4).float()
loader = DataLoader(TensorDataset(signs, second_look), batch_size=40, shuffle=True)

model = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(6):
    for sign, look in loader:
        loss = nn.functional.cross_entropy(model(sign), look.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
