"""Sorts points, and keeps every weight below one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(960, 10)
y = (x @ torch.randn(10, 3)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(10):
    correct = 0
    for inputs, labels in loader:
        scores = model(inputs)
        loss = nn.functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.clamp_(-1.0, 1.0)
        correct += (scores.argmax(dim=1) == labels).sum().item()
    print(f"epoch {epoch}: {correct / len(x):.3f}")
