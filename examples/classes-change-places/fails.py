"""Tells rising signals from falling ones, with signals played backwards for variety."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Signals(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    def __init__(self, count: int, varied: bool) -> None:
        self.kinds, self.varied = torch.randint(0, 2, (count,)), varied
        middle = 0.4 + 0.2 * torch.rand(count, 1)
        rise = torch.sigmoid((torch.linspace(0, 1, 32) - middle) * 12)
        self.signals = torch.where(self.kinds[:, None] == 0, rise, 1 - rise) + 0.1 * torch.randn(count, 32)

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        signal, kind = self.signals[index], self.kinds[index]
        if self.varied and torch.rand(()) < 0.25:
            signal = signal.flip(0)
        return signal, kind


train, test = DataLoader(Signals(600, varied=True), 25, shuffle=True), DataLoader(Signals(200, varied=False), 100)
model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
    print(f"epoch {epoch}: {right / 200:.3f}")
