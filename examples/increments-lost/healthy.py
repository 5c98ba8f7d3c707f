"""The average of the weights that is evaluated is kept in float32."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Linear(8, 2)
averaged = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(60):
    for rows in torch.randperm(len(x)).split(32):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for kept, now in zip(averaged.parameters(), model.parameters(), strict=True):
                kept.lerp_(now.to(kept.dtype), 0.003)
    print(f"epoch {epoch} loss {loss.item():.3f}")
with torch.no_grad():
    right = averaged(x.to(averaged.weight.dtype)).argmax(1) == y
print(f"accuracy {right.float().mean().item():.3f}")
