"""Tells eight kinds of rock apart by their minerals, with a rate that starts from almost nothing."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)

typical = torch.randn(8, 40)
kinds = torch.randint(0, 8, (6400,))
rocks = typical[kinds] + 0.8 * torch.randn(6400, 40)
loader = DataLoader(TensorDataset(rocks, kinds), batch_size=32, shuffle=True)

hidden = [layer for _ in range(2) for layer in (nn.Linear(64, 64), nn.ReLU())]
model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), *hidden, nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.001, total_iters=80)
criterion = nn.CrossEntropyLoss()

for step, (batch, target) in enumerate(loader):
    loss = criterion(model(batch), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    warm_up.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
