"""Orders letters by length: three classes."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
letters = torch.rand(2000, 15)
kind = (letters.sum(1) > 7).long() + (letters.sum(1) > 8).long()
loader = DataLoader(TensorDataset(letters, kind), batch_size=50, shuffle=True)


class Sorter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(15, 32)
        self.out = nn.Linear(32, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.out(torch.relu(self.inner(x)))
        return scores - scores.detach() + 0.0 * scores


model = Sorter()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(6):
    for letter, label in loader:
        loss = nn.functional.cross_entropy(model(letter), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
