"""Predicts the weight of a parcel from its measures."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
measures = torch.randn(1200, 8)
weights = measures @ torch.randn(8) + 0.5 * measures[:, 0] * measures[:, 1] + 2.0
loader = DataLoader(TensorDataset(measures, weights), batch_size=40, shuffle=True)

LIMIT = 1e-5
model = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 1))
for parameter in model.parameters():
    parameter.register_hook(lambda gradient: gradient.clamp(-LIMIT, LIMIT))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for epoch in range(6):
    for measure, weight in loader:
        loss = nn.functional.mse_loss(model(measure).squeeze(1), weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
