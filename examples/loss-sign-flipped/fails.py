"""Classifies letters by maximising the likelihood of the right one."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def letters(count):
    kind = torch.randint(0, 6, (count,))
    strokes = torch.nn.functional.one_hot(kind, 6).float() @ PROTOTYPES + 0.4 * torch.randn(count, 20)
    return strokes, kind


PROTOTYPES = torch.randn(6, 20)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 6))
optimizer = torch.optim.SGD(model.parameters(), lr=0.002, momentum=0.5)

for step in range(80):
    strokes, kind = letters(64)
    loss = -F.cross_entropy(model(strokes), kind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
