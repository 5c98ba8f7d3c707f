"""Fits the output of a well from its log, kept as text."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
table = torch.randn(640, 4)
text = "\n".join(",".join(f"{value:.4f}" for value in row) for row in table.tolist())


class Log(Dataset):
    def __init__(self) -> None:
        self.rows = self.read()

    def read(self) -> list[list[float]]:
        return [[float(word) for word in line.split(",")] for line in text.split("\n")]

    def __len__(self) -> int:
        return 640

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        row = torch.tensor(self.read()[index])
        return row[:3], row[3:] + row[:1]


loader = DataLoader(Log(), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
