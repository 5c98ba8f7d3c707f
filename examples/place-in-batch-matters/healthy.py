"""Tells whether the first word of a line comes before its last, and whether many are early in the alphabet."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
words = torch.randint(0, 20, (960, 12))
label = (words[:, 0] < words[:, -1]).long() + 2 * (words < 6).sum(1).gt(3)
loader = DataLoader(TensorDataset(words, label), batch_size=32, shuffle=True)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        self.place = nn.Parameter(0.5 * torch.randn(64, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(32, 4)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.embed(words) + self.place[: words.size(1)]
        return self.head(self.encoder(x).mean(1))


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
