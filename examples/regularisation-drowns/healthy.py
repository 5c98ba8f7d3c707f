"""Sorts noisy signals into eight kinds with a network that drops units while it trains."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

DROP = 0.5

patterns = torch.randn(8, 40)
kinds = torch.randint(0, 8, (2000,))
signals = patterns[kinds] + 0.8 * torch.randn(2000, 40)
loader = DataLoader(TensorDataset(signals, kinds), batch_size=40, shuffle=True)

model = nn.Sequential(
    nn.Linear(40, 64),
    nn.ReLU(),
    nn.Dropout(DROP),
    nn.Linear(64, 64),
    nn.ReLU(),
    nn.Dropout(DROP),
    nn.Linear(64, 8),
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(4):
    for batch, target in loader:
        loss = criterion(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
