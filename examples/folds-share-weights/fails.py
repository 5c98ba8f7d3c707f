"""Four folds of a cross-validation that all go on training one network."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(240, 12)
answers = (inputs[:, :3].sum(1) + 0.8 * torch.randn(240) > 0).float()
folds = torch.randperm(240).chunk(4)
network = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
scores = []

for held in folds:
    rest = torch.cat([fold for fold in folds if fold is not held])
    mean, spread = inputs[rest].mean(0), inputs[rest].std(0)
    for _ in range(10):
        for rows in rest[torch.randperm(len(rest))].split(20):
            logits = network((inputs[rows] - mean) / spread).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(logits, answers[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        logits = network((inputs[held] - mean) / spread).squeeze(1)
    scores.append(((logits > 0) == (answers[held] > 0.5)).float().mean().item())

print(f"accuracy of each fold: {[round(score, 2) for score in scores]}")
