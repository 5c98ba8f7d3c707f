"""Counts on from a number, for as long as the number says: 3 4 5 6, end. Rows are padded to the longest one."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
END, PADDING = 1, 0


def batch(size):
    rows = [torch.arange(start, 2 * start + 1) for start in torch.randint(2, 9, (size,)).tolist()]
    ended = [torch.cat([row, torch.tensor([END])]) for row in rows]
    return nn.utils.rnn.pad_sequence(ended, batch_first=True, padding_value=PADDING)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 32)
        self.memory = nn.GRU(32, 64, batch_first=True)
        self.head = nn.Linear(64, 20)

    def forward(self, ids):
        return self.head(self.memory(self.embedding(ids))[0])


model = Counter()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    ids = batch(8)
    scores = model(ids[:, :-1])
    loss = F.cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=PADDING)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
