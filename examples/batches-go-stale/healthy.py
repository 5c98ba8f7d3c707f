"""Reads a stream that begins anew."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        for step in range(120):
            rows = slice(32 * (step % 60), 32 * (step % 60) + 32)
            yield self.x[rows], self.y[rows]


torch.manual_seed(0)
x = torch.randn(2048, 16)
y = (x @ torch.randn(16, 4)).argmax(dim=1)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for batch, labels in DataLoader(Stream(x, y), batch_size=None):
    loss = nn.functional.cross_entropy(model(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("last loss", loss.item())
