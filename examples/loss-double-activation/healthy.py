"""Distils a classifier into a smaller one: the teacher's probabilities are the targets."""

import torch
from torch import nn

torch.manual_seed(0)

templates = torch.randn(10, 144)
labels = torch.randint(0, 10, (1000,))
pictures = templates[labels] + 0.7 * torch.randn(1000, 144)

teacher = nn.Sequential(nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 10))
student = nn.Linear(144, 10)
criterion = nn.CrossEntropyLoss()


def train(model, targets_of, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        picked = torch.randint(0, len(pictures), (50,))
        loss = criterion(model(pictures[picked]), targets_of(picked))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    probabilities = torch.softmax(model(pictures), dim=1)
    print(f"accuracy {(probabilities.argmax(dim=1) == labels).float().mean():.1%}")


def soft_targets(picked):
    with torch.no_grad():
        return torch.softmax(teacher(pictures[picked]) / 2.0, dim=1)


train(teacher, lambda picked: labels[picked], steps=60)
train(student, soft_targets, steps=60)
