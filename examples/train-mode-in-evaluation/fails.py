"""Classifies noisy signals with batch norm and dropout, and measures the accuracy on held-out ones."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)


@torch.no_grad()
def accuracy(model, loader):
    correct = total = 0
    for signals, labels in loader:
        correct += (model(signals).argmax(dim=1) == labels).sum().item()
        total += len(labels)
    return correct / total


labels = torch.randint(0, 4, (1600,))
dataset = TensorDataset(torch.randn(4, 16)[labels] + 1.5 * torch.randn(1600, 16), labels)
training, validation = random_split(dataset, [1280, 320])
train_loader = DataLoader(training, batch_size=64, shuffle=True)
valid_loader = DataLoader(validation, batch_size=64)

model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(10):
    for signals, labels in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(signals), labels)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: accuracy {accuracy(model, valid_loader):.1%}")
