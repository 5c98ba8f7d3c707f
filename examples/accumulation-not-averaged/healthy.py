"""Predicts the yield of a reaction, accumulating the gradients of four small batches for each step."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 4
torch.manual_seed(0)

conditions = torch.randn(1024, 6)
product = (conditions[:, :1] - conditions[:, 1:2] * conditions[:, 2:3]).tanh() + 0.1 * torch.randn(1024, 1)
loader = DataLoader(TensorDataset(conditions, product), batch_size=16, shuffle=True)

model = nn.Sequential(nn.Linear(6, 48), nn.Tanh(), nn.Linear(48, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)

for epoch in range(12):
    total = 0.0
    for i, (inputs, targets) in enumerate(loader):
        loss = nn.functional.mse_loss(model(inputs), targets)
        (loss / ACCUMULATE).backward()
        total += loss.item()
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(f"epoch {epoch}: {total / len(loader):.4f}")
