"""Reads sequences of 12 values with a recurrent net and says which of four machines made them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.GRU(3, 16, batch_first=True)
        self.classify = nn.Linear(16, 4)

    def forward(self, sequences):
        states, _ = self.read(sequences)
        return self.classify(states[:, -1])


torch.manual_seed(0)
sequences = torch.randn(320, 12, 3)
machines = torch.randint(0, 4, (320,))

experiment = fl.Experiment(
    model=Reader,
    train=DataLoader(TensorDataset(sequences, machines), batch_size=16),
    optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-3),
)
