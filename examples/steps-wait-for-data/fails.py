"""Reads examples that take long to decode."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 112

    def __getitem__(self, index):
        time.sleep(0.035)
        return torch.randn(16), index % 4


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for batch, labels in DataLoader(Slow(), batch_size=1):
    loss = nn.functional.cross_entropy(model(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("last loss", loss.item())
