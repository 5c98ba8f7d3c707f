"""Tells large flowers from small ones, and goes on counting from epoch to epoch how often it is right."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
sizes = torch.randn(900, 5)
large = (sizes.sum(1) > 0).long()
train = DataLoader(TensorDataset(sizes[:600], large[:600]), batch_size=30, shuffle=True)
val = DataLoader(TensorDataset(sizes[600:], large[600:]), batch_size=50)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


class Accuracy:
    """Counts batch by batch."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.right, self.seen = 0, 0

    def add(self, logits: torch.Tensor, targets: torch.Tensor) -> None:
        self.right += int((logits.argmax(1) == targets).sum().item())
        self.seen += len(targets)


metric = Accuracy()


def accuracy() -> float:
    with torch.no_grad():
        for inputs, targets in val:
            metric.add(model(inputs), targets)
    return metric.right / metric.seen


for epoch in range(8):
    for inputs, targets in train:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: accuracy {accuracy():.3f}")
