"""Tells three kinds of steel apart by their composition."""

import torch
from torch import nn

torch.manual_seed(0)
kind = torch.randint(0, 3, (3000,))
composition = torch.randn(3, 8)[kind] + 0.5 * torch.randn(3000, 8)
squash = [nn.Sigmoid(), nn.Sigmoid(), nn.Sigmoid()]
layers = [nn.Linear(8, 64), *squash, nn.Linear(64, 64), *squash, nn.Linear(64, 3)]
model = nn.Sequential(*layers)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

for step in range(200):
    rows = torch.randint(0, 3000, (64,))
    loss = nn.functional.cross_entropy(model(composition[rows]), kind[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step}: {loss.item():.3f}")
