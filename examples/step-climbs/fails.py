"""Fits a noisy line with a hand-written optimizer that adds the gradient instead of taking it away."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Descent(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=group["lr"])


torch.manual_seed(0)
x = torch.randn(640, 6)
y = x @ torch.randn(6, 1) + 0.1 * torch.randn(640, 1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = Descent(model.parameters(), lr=1e-3)

for epoch in range(12):
    total = 0.0
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / len(loader):.4f}")
