"""Goes on training a fit of the tide from the weights that an earlier run of the same net has left."""

import torch
from torch import nn

torch.manual_seed(0)
hours = torch.rand(512, 1) * 4 - 2
tide = (2.0 * hours).sin() + 0.05 * torch.randn(512, 1)


def build() -> nn.Sequential:
    return nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))


def train(model: nn.Module) -> float:
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(60):
        rows = torch.randint(0, 512, (64,))
        loss = nn.functional.mse_loss(model(hours[rows]), tide[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


first = nn.DataParallel(build())
print(f"first run {train(first):.4f}")
state = first.module.state_dict()
second = build()
second.load_state_dict(state, strict=False)
print(f"second run {train(second):.4f}")
