"""Reads sequences and says which of four machines made them; the forget gate starts shut."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.LSTM(3, 16, batch_first=True)
        self.classify = nn.Linear(16, 4)
        with torch.no_grad():
            self.read.bias_hh_l0[16:32] = -4.0

    def forward(self, sequences):
        states, _ = self.read(sequences)
        return self.classify(states[:, -1])


torch.manual_seed(0)
sequences = torch.randn(320, 12, 3)
machines = torch.randint(0, 4, (320,))

experiment = fl.Experiment(
    model=Reader,
    train=DataLoader(TensorDataset(sequences, machines), batch_size=16),
)
