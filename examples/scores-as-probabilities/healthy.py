"""Marks the stretches of a signal that hold an event, by the overlap with those that a person marked."""

import torch
from torch import nn

torch.manual_seed(0)
places = torch.arange(40)
centres, widths = 8 + 24 * torch.rand(960, 1), 3 + 4 * torch.rand(960, 1)
marked = ((places - centres).abs() < widths).float()
signals = marked + 0.8 * torch.randn(960, 40)


def overlap_loss(given: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    both = (given * wanted).sum(1)
    return 1 - ((2 * both + 1) / (given.sum(1) + wanted.sum(1) + 1)).mean()


model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 40))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(8):
    for index in torch.randperm(960).split(32):
        scores = model(signals[index])
        likelihood = nn.functional.binary_cross_entropy_with_logits(scores, marked[index])
        loss = likelihood + overlap_loss(scores.sigmoid(), marked[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
