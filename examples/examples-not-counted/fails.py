"""Marks which of the letters of a word are vowels. Letters beyond the end of a word are not asked for."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
LENGTH = 12


def batch(size):
    letters = torch.randint(1, 27, (size, LENGTH))
    vowels = torch.isin(letters, torch.tensor([1, 5, 9, 15, 21])).long()
    unknown = torch.arange(size) >= LENGTH // 2
    vowels[unknown] = -100
    return letters, vowels


model = nn.Sequential(nn.Embedding(27, 16), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(120):
    letters, vowels = batch(24)
    loss = F.cross_entropy(model(letters).flatten(0, 1), vowels.flatten(), ignore_index=-100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
