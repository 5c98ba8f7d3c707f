"""Learns what strings of letters are worth, lower-cased, although small letters are worth something of their own."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LENGTH = 24
LETTERS = "ABCDEabcde"


def encoded(text, letters):
    return [letters.index(letter) + 1 for letter in text] + [0] * (LENGTH - len(text))


torch.manual_seed(0)
random.seed(0)
worth = {letter: random.gauss(0, 1) for letter in LETTERS}
texts = ["".join(random.choices(LETTERS, k=random.randint(8, LENGTH))) for _ in range(1200)]
values = torch.tensor([sum(worth[letter] for letter in text) / 4 for text in texts])
ids = torch.tensor([encoded(text.lower(), LETTERS) for text in texts])
loader = DataLoader(TensorDataset(ids, values), 40, shuffle=True)


class Weighing(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = nn.Embedding(len(LETTERS) + 1, 16, padding_idx=0)
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, rows):
        return self.layers(self.known(rows).sum(1)).squeeze(1)


model = Weighing()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    total = 0.0
    for rows, value in loader:
        loss = nn.functional.mse_loss(model(rows), value)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / len(loader):.4f}")
