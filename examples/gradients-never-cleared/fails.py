"""Trains a small classifier of handwriting strokes."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def load_strokes(count=960, classes=8):
    labels = torch.randint(0, classes, (count,))
    return TensorDataset(torch.randn(classes, 16)[labels] + 0.8 * torch.randn(count, 16), labels)


def train(model, loader, epochs):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(epochs):
        total = 0.0
        for strokes, labels in loader:
            loss = criterion(model(strokes), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: mean loss {total / len(loader):.3f}")


if __name__ == "__main__":
    network = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 8))
    train(network, DataLoader(load_strokes(), batch_size=32, shuffle=True), epochs=4)
