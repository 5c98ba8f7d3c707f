"""Tells from a short series of readings which of four machines made it, with a small attention network."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Reader(nn.Module):
    def __init__(self, width=32, dropout=0.3):
        super().__init__()
        self.dropout = dropout
        self.first = nn.Linear(3, width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.last = nn.Linear(width, 4)

    def forward(self, readings):
        x = torch.relu(self.first(readings))
        query, key, value = self.query_key_value(x).chunk(3, dim=-1)
        x = x + F.scaled_dot_product_attention(query, key, value, dropout_p=self.dropout)
        return self.last(x.mean(dim=1))


machines = torch.randn(4, 6, 3)


def series(n):
    label = torch.randint(0, 4, (n,))
    return machines[label] + 0.8 * torch.randn(n, 6, 3), label


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
held_back = [series(100) for _ in range(4)]
for epoch in range(5):
    model.train()
    for _ in range(30):
        readings, label = series(64)
        loss = F.cross_entropy(model(readings), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(readings).argmax(1) == label).sum().item() for readings, label in held_back)
    print(f"epoch {epoch}: loss {loss.item():.4f}, {right / 400:.3f} right")
