"""Predicts the yield of a field from soil and rain; small weights are preferred."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(4)
soil = torch.randn(4000, 8)
grown = (soil @ torch.randn(8, 1)).squeeze(1) + 0.2 * torch.randn(4000)
loader = DataLoader(TensorDataset(soil, grown), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
PREFERENCE = 0.01


def size_of_weights():
    return sum(weight.abs().mean() for weight in model.parameters())


for epoch in range(5):
    for given, truth in loader:
        missed = (model(given).squeeze(1) - truth).abs().mean()
        loss = missed + PREFERENCE * size_of_weights()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {missed.item():.3f}")
