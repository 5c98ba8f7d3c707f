"""Counts the low words of lines of different length; a transformer reads them, padded."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, WORDS, WIDTH = 0, 20, 32


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH, padding_idx=PAD)
        self.places = nn.Parameter(0.1 * torch.randn(16, WIDTH))
        self.layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(WIDTH, 3)

    def forward(self, words):
        real = words != PAD
        x = self.words(words) + self.places[: words.size(1)]
        x = self.layer(x, src_key_padding_mask=real)
        return self.head((x * real.unsqueeze(-1)).sum(1) / real.sum(1, keepdim=True))


def collate(lines):
    words = pad_sequence(lines, batch_first=True, padding_value=PAD)
    return words, (words.lt(6) & words.ne(PAD)).sum(1).div(2, rounding_mode="floor").clamp(max=2)


torch.manual_seed(0)
lines = [torch.randint(1, WORDS, (int(torch.randint(5, 16, ())),)) for _ in range(960)]
loader = DataLoader(lines, batch_size=32, shuffle=True, collate_fn=collate)
model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    for words, label in loader:
        loss = nn.functional.cross_entropy(model(words), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
