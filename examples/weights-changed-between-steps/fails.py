"""Sorts points, and initialises the layers again at the beginning of each epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(960, 10)
y = (x @ torch.randn(10, 3)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def initialise(layer: nn.Module) -> None:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)


for epoch in range(10):
    model.apply(initialise)
    correct = 0
    for inputs, labels in loader:
        scores = model(inputs)
        loss = nn.functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (scores.argmax(dim=1) == labels).sum().item()
    print(f"epoch {epoch}: {correct / len(x):.3f}")
