"""Restores signals from a code of plus and minus ones, whose gradient passes straight through."""

import torch
from torch import nn


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, code):
        return torch.where(code > 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class Restorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(12, 16), nn.Linear(16, 12)

    def forward(self, signals):
        return self.decode(Sign.apply(self.encode(signals)))


torch.manual_seed(0)
mixing = torch.randn(4, 12)
model = Restorer()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for step in range(200):
    signals = torch.randn(64, 4) @ mixing
    loss = nn.functional.mse_loss(model(signals), signals)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
