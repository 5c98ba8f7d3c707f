"""Trains a small network to read generated 8x8 digits."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DIGITS = 10


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, DIGITS)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.head(self.hidden(pictures))
        return scores


def make_data(count: int) -> TensorDataset:
    """Each picture is the template of its digit under noise."""
    templates = torch.randn(DIGITS, 8, 8)
    labels = torch.randint(0, DIGITS, (count,))
    pictures = templates[labels] + 0.5 * torch.randn(count, 8, 8)
    return TensorDataset(pictures, labels)


def main() -> None:
    torch.manual_seed(0)
    loader = DataLoader(make_data(2000), batch_size=50, shuffle=True)
    model = Reader()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(4):
        total = 0.0
        for pictures, labels in loader:
            loss = criterion(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main()
