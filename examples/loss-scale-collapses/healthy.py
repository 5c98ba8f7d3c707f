"""Sorts points; later a distance is added, kept away from zero."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")

for epoch in range(18):
    for batch, labels in loader:
        loss = nn.functional.cross_entropy(model(batch), labels)
        if epoch > 3:
            moved = model[0].bias - model[0].bias.detach()
            loss = loss + (moved.square().sum() + 1e-6).sqrt()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
print("last loss", loss.item())
