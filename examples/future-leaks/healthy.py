"""Tags each token with its parity and the half its right neighbour lies in, with a small transformer."""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, LENGTH, WIDTH = 16, 12, 32


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, 4)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(LENGTH))
        return self.head(self.layer(x))


def tagged(count):
    tokens = torch.randint(0, VOCABULARY, (count, LENGTH))
    return tokens, tokens % 2 + 2 * (tokens.roll(-1, dims=1) >= VOCABULARY // 2)


torch.manual_seed(0)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    tokens, tags = tagged(32)
    loss = F.cross_entropy(model(tokens).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
