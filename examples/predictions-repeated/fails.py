"""Estimates three properties of an alloy from its composition: one trunk, and a head for each property."""

import torch
from torch import nn

torch.manual_seed(0)
PROPERTIES = ("hardness", "density", "conductivity")


class AlloyNet(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, width), nn.Tanh())
        self.heads = nn.ModuleDict(dict.fromkeys(PROPERTIES, nn.Linear(width, 1)))

    def forward(self, composition):
        features = self.trunk(composition)
        return {name: head(features).squeeze(1) for name, head in self.heads.items()}


def measured(composition):
    hardness = composition[:, :3].sum(dim=1)
    density = composition[:, 3] - composition[:, 4]
    conductivity = torch.tanh(composition[:, 5:8]).sum(dim=1)
    return {"hardness": hardness, "density": density, "conductivity": conductivity}


model = AlloyNet()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    composition = torch.randn(64, 10)
    wanted, given = measured(composition), model(composition)
    loss = sum(nn.functional.mse_loss(given[name], wanted[name]) for name in PROPERTIES)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
