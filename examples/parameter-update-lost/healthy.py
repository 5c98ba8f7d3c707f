"""A student that is held near a slow average of itself."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
teacher = copy.deepcopy(student)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)


@torch.no_grad()
def follow(decay):
    for slow, fast in zip(teacher.parameters(), student.parameters()):
        slow.mul_(decay).add_(fast, alpha=1 - decay)


for step in range(100):
    x = torch.randn(32, 8)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    scores = student(x)
    with torch.no_grad():
        calm = teacher(x + 0.1 * torch.randn_like(x))
    loss = nn.functional.cross_entropy(scores, y) + 0.1 * nn.functional.mse_loss(scores, calm)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    follow(0.99)
