"""Sorts points with a deep stack of residual blocks."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 32))

    def forward(self, x):
        return x + self.inner(x)


torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), *[Block() for _ in range(6)], nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(14):
    for batch, labels in loader:
        loss = nn.functional.cross_entropy(model(batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
