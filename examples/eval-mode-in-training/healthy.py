"""Trains a classifier with batch norm and dropout, and validates it after each epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)


def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(dim=1) == y).sum().item()
            total += len(y)
    return correct / total


labels = torch.randint(0, 4, (1000,))
dataset = TensorDataset(torch.randn(4, 16)[labels] + 1.5 * torch.randn(1000, 16), labels)
training, validation = random_split(dataset, [800, 200])
train_loader = DataLoader(training, batch_size=80, shuffle=True)
valid_loader = DataLoader(validation, batch_size=200)

model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(10):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: accuracy {evaluate(model, valid_loader):.1%}")
