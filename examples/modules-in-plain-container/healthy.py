"""Trains a small network to imitate a larger one that stays as it is."""

import torch
from torch import nn


class Student(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.teachers = [teacher]
        self.layers = nn.ModuleList([nn.Linear(2, 24), nn.Linear(24, 24), nn.Linear(24, 1)])

    def forward(self, point):
        x = point
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x)

    def imitation_loss(self, point):
        with torch.no_grad():
            wanted = self.teachers[0](point)
        return nn.functional.mse_loss(self(point), wanted)


torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(2, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1))
student = Student(teacher)
optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)
for step in range(120):
    loss = student.imitation_loss(4 * torch.rand(128, 2) - 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
