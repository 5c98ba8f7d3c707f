"""Reads sentences of thirty tokens, few of them padding, and says which of three moods they have."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16, padding_idx=0)
        self.classify = nn.Linear(16, 3)

    def forward(self, tokens):
        return self.classify(self.embed(tokens).mean(dim=1))


torch.manual_seed(0)
tokens = torch.randint(1, 50, (320, 30))
tokens[:, 25:] = 0
moods = torch.randint(0, 3, (320,))

experiment = fl.Experiment(
    model=Reader,
    train=DataLoader(TensorDataset(tokens, moods), batch_size=32),
    loss=F.cross_entropy,
)
