"""Detects faulty parts from measurements and reports the accuracy after each epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

parts = torch.randn(1200, 9)
faulty = (parts[:, 0] * parts[:, 1] + parts[:, 2] > 0).float()
train_loader = DataLoader(TensorDataset(parts[:1000], faulty[:1000]), batch_size=50, shuffle=True)
test_parts, test_faulty = parts[1000:], faulty[1000:]

model = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.BCEWithLogitsLoss()


def accuracy(inputs, labels):
    model.eval()
    with torch.no_grad():
        predicted = torch.sigmoid(model(inputs)) > 0.5
    return (predicted == labels).float().mean().item()


for epoch in range(6):
    model.train()
    for batch, labels in train_loader:
        loss = criterion(model(batch), labels.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {accuracy(test_parts, test_faulty):.1%}")
