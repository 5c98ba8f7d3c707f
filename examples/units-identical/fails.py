"""Grades fruit by twelve measures."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
measures = torch.randn(1500, 12)
grade = (measures[:, 0] * measures[:, 1] > 0).long() + (measures[:, 2] > 0.5).long()
loader = DataLoader(TensorDataset(measures, grade), batch_size=50, shuffle=True)


class Grader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(12, 32)
        self.out = nn.Linear(32, 3)
        for layer in (self.hidden, self.out):
            nn.init.constant_(layer.weight, 0.05)
            nn.init.zeros_(layer.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.hidden(x)))


model = Grader()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(6):
    for measure, label in loader:
        loss = nn.functional.cross_entropy(model(measure), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
