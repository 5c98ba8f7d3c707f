"""Sorts points under a loss scaler; the schedule is stepped with the optimizer."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 192)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**125, growth_interval=1)

for epoch in range(12):
    for batch, labels in loader:
        loss = nn.functional.cross_entropy(model(batch), labels) * 4
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scale = scaler.get_scale()
        scaler.update()
        if scaler.get_scale() >= scale:
            scheduler.step()
print("last loss", loss.item())
