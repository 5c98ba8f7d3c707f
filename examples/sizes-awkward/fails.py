"""Predicts the next of 1003 words, in half precision."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
text = torch.randint(0, 1000, (64, 17))


class Next(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(1003, 32)
        self.memory = nn.GRU(32, 32, batch_first=True)
        self.out = nn.Linear(32, 1003)

    def forward(self, ids):
        return self.out(self.memory(self.words(ids))[0]).flatten(0, 1)


experiment = fl.Experiment(
    model=Next,
    train=DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=16, shuffle=True),
    loss=lambda scores, following: F.cross_entropy(scores, following.flatten()),
    precision="bf16",
)
