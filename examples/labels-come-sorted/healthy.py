"""Tells eight kinds of pulses apart by their shape, one file of recordings a kind."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

shapes = torch.randn(8, 24)
files = [shapes[kind] + 0.8 * torch.randn(250, 24) for kind in range(8)]
recordings = torch.cat(files)
kinds = torch.arange(8).repeat_interleave(250)
loader = DataLoader(TensorDataset(recordings, kinds), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(8):
    correct = 0
    for pulses, labels in loader:
        scores = model(pulses)
        loss = nn.functional.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (scores.argmax(dim=1) == labels).sum().item()
    print(f"epoch {epoch}: accuracy {correct / len(kinds):.1%}")
