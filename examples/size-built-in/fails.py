"""Tells three kinds apart; the last of the batches is shorter than the size written into the model."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
pictures = torch.randn(500, 1, 6, 6)
kinds = pictures.flatten(1)[:, :3].argmax(dim=1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Conv2d(1, 8, 3)
        self.classify = nn.Linear(128, 3)

    def forward(self, seen):
        return self.classify(torch.relu(self.look(seen)).view(32, 128))


experiment = fl.Experiment(
    model=Net,
    train=DataLoader(TensorDataset(pictures, kinds), batch_size=32, shuffle=True),
    loss=F.cross_entropy,
)
