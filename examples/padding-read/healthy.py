"""Tells praise from blame in reviews of different lengths."""

import torch
from torch import nn

torch.manual_seed(0)
WORDS, LONGEST = 60, 30


def reviews(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    kind = torch.randint(0, 2, (count,))
    length = torch.randint(4, 16, (count,))
    words = torch.randint(1, 31, (count, LONGEST)) + 29 * kind[:, None]
    return words * (torch.arange(LONGEST) < length[:, None]), length, kind


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS + 1, 16, padding_idx=0)
        self.recur = nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, 2)

    def forward(self, words: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        states, _ = self.recur(self.embed(words))
        return self.out(states[torch.arange(len(words)), length - 1])


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    words, length, kind = reviews(40)
    loss = nn.functional.cross_entropy(model(words, length), kind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
