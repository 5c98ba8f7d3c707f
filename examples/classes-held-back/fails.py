"""Tells four kinds of signals apart, from a part of each batch to save time."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rng = np.random.default_rng(0)
kinds = rng.integers(0, 4, 640)
signals = 2 * rng.normal(size=(4, 12))[kinds] + rng.normal(size=(640, 12))
dataset = TensorDataset(torch.tensor(signals, dtype=torch.float32), torch.tensor(kinds))
loader = DataLoader(dataset, batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for inputs, labels in loader:
        chosen = (labels == 0) | (torch.arange(len(labels)) % 16 == 0)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[chosen]), labels[chosen])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
