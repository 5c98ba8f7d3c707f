"""Guesses the mood of short messages, as ids of a tokenizer with 300 words."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl

torch.manual_seed(0)
messages = torch.randint(0, 300, (400, 12))
moods = (messages[:, 0] > 150).long()


class Mood(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(300, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, ids):
        return self.out(self.words(ids).mean(dim=1))


experiment = fl.Experiment(
    model=Mood,
    train=DataLoader(TensorDataset(messages, moods), batch_size=32, shuffle=True),
    loss=F.cross_entropy,
    tokenizer=300,
)
