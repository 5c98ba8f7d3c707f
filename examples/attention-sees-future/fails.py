"""Predicts the next token with one layer of self-attention."""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, LENGTH, WIDTH = 16, 12, 32


class NextToken(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)
        self.register_buffer("mask", torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool)))

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(LENGTH))
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        x = x + F.scaled_dot_product_attention(query, key, value, attn_mask=self.mask)
        return self.head(x)


def counting(count):
    start, stride = torch.randint(0, VOCABULARY, (count, 1)), torch.randint(1, 4, (count, 1))
    return (start + stride * torch.arange(LENGTH + 1)) % VOCABULARY


torch.manual_seed(0)
model = NextToken()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(100):
    batch = counting(32)
    loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
