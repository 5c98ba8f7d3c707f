"""Predicts the next token of counting sequences with a small transformer."""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, LENGTH, WIDTH = 16, 12, 32


class NextToken(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(LENGTH))
        return self.head(self.layer(x))


def counting(count):
    start, stride = torch.randint(0, VOCABULARY, (count, 1)), torch.randint(1, 4, (count, 1))
    return (start + stride * torch.arange(LENGTH + 1)) % VOCABULARY


torch.manual_seed(0)
model = NextToken()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    batch = counting(32)
    loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
