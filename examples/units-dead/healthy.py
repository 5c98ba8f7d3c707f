"""Tells which of four machines hums, by the strength of 24 tones."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
centres = torch.randn(4, 24)
machine = torch.randint(0, 4, (2000,))
tones = centres[machine] + 0.5 * torch.randn(2000, 24)
loader = DataLoader(TensorDataset(tones, machine), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
nn.init.constant_(model[0].bias, -0.6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(6):
    for tone, label in loader:
        loss = nn.functional.cross_entropy(model(tone), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
