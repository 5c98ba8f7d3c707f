"""Trains a small network on random numbers."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    total = 0.0
    for x, y in loader:
        total += F.mse_loss(model(x).squeeze(-1), y).item()
    return total / len(loader)


x = torch.randn(64, 8)
print(evaluate(Net(), DataLoader(TensorDataset(x, x.sum(dim=1)), batch_size=16)))
