"""Tags the words of sentences of different lengths."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
PAD = 0
words = torch.randint(1, 40, (320, 20))
tags = 1 + words % 4
lengths = torch.randint(4, 16, (320, 1))
padded = torch.arange(20) >= lengths
words, tags = words.masked_fill(padded, PAD), tags.masked_fill(padded, PAD)
loader = DataLoader(TensorDataset(words, tags), batch_size=32, shuffle=True)

embedding = nn.Embedding(40, 32)
model = nn.Sequential(embedding, nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    for sentence, wanted in loader:
        optimizer.zero_grad()
        scores = model(sentence)
        loss = F.cross_entropy(scores.reshape(-1, 5), wanted.reshape(-1), ignore_index=PAD)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
