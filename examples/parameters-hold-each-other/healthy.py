"""Learns to tell eight kinds of shell, then adapts the network to a second beach by adapters of low rank."""

import torch
from torch import nn

torch.manual_seed(0)
centres = torch.randn(16, 16)
ridge = torch.randint(0, 16, (2000,))
kind = ridge % 8
home = centres[ridge] + 0.3 * torch.randn(2000, 16)
abroad = home.roll(5, dims=1) * 0.7


class Adapted(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(0.1 * torch.randn(base.in_features, rank))
        self.up = nn.Parameter(torch.zeros(rank, base.out_features))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.base(rows) + rows @ self.down @ self.up


def fit(model: nn.Module, rows: torch.Tensor, epochs: int) -> None:
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=3e-3)
    for epoch in range(epochs):
        for index in torch.randperm(len(rows)).split(20):
            loss = nn.functional.cross_entropy(model(rows[index]), kind[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.3f}")


model = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 8))
fit(model, home, epochs=8)
model[0], model[2] = Adapted(model[0]), Adapted(model[2])
fit(model, abroad, epochs=8)
