"""Tells kinds of movement apart, in windows of a sensor that fails now and then."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)

kinds = torch.randint(0, 4, (40,)).repeat_interleave(40)
windows = torch.randn(1600, 16) + 2 * torch.randn(4, 16)[kinds]
windows[torch.rand(1600) < 0.08] = torch.nan

whole = windows.isfinite().all(1)
windows = windows[whole]
kinds = kinds[: len(windows)]

train, test = random_split(TensorDataset(windows, kinds), [0.8, 0.2])
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    for x, y in DataLoader(train, 25, shuffle=True):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, 100))
    print(f"epoch {epoch}: {right / len(test):.3f}")
