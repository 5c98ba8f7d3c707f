"""Learns to answer: each line is a question, a sign, and the answer."""

import torch
from torch import nn

torch.manual_seed(0)
SIGN, END, LENGTH, IGNORED = 10, 11, 6, -100


def lines(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    question = torch.randint(0, 10, (count, 3))
    answer = question[:, -1:]
    ends = torch.tensor([[SIGN, END]]).expand(count, 2)
    tokens = torch.cat([question, ends[:, :1], answer, ends[:, 1:]], dim=1)
    wanted = tokens[:, 1:].clone()
    wanted[:, :3] = IGNORED
    return tokens[:, :-1], wanted


class Answerer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(12, 32), nn.Linear(64, 12)
        self.recur = nn.GRU(32, 64, batch_first=True)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.out(self.recur(self.embed(tokens))[0])


model = Answerer()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(200):
    tokens, wanted = lines(64)
    loss = nn.functional.cross_entropy(model(tokens).transpose(1, 2), wanted, ignore_index=IGNORED)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
