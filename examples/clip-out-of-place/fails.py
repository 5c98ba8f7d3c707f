"""Trains a recurrent network to add two marked numbers in a sequence."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)


class Adder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 32, batch_first=True)
        self.out = nn.Linear(32, 1)

    def forward(self, sequence):
        states, _ = self.rnn(sequence)
        return self.out(states[:, -1]).squeeze(-1)


def sequences(count, length=12):
    numbers, marks = torch.rand(count, length), torch.zeros(count, length)
    marks[:, 2] = marks[:, 7] = 1.0
    return torch.stack([numbers, marks], dim=2), (numbers * marks).sum(dim=1)


model = Adder()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for step in range(100):
    sequence, total = sequences(32)
    loss = nn.functional.mse_loss(model(sequence), total)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    clip_grad_norm_(model.parameters(), max_norm=1.0)
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
