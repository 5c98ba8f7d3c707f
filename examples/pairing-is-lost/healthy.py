"""Tells six kinds of stars apart by their spectra."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

typical = torch.randn(6, 32)
kinds = torch.randint(0, 6, (6400,))
spectra = typical[kinds] + 2.0 * torch.randn(6400, 32)
order = torch.randperm(6400)
loader = DataLoader(TensorDataset(spectra[order], kinds[order]), batch_size=32)

model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()

for step, (batch, target) in enumerate(loader):
    loss = criterion(model(batch), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
