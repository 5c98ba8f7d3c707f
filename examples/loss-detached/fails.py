"""Fits a network to a set of orbits, one loss for position and one for energy."""

import torch
from torch import nn

torch.manual_seed(0)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def losses(self, times):
        position = self.model(times)
        orbit = torch.cat([torch.cos(times), torch.sin(times)], dim=1)
        distance = nn.functional.mse_loss(position, orbit)
        energy = (position.pow(2).sum(dim=1) - 1).pow(2).mean()
        return {"distance": distance.item(), "energy": energy.item()}

    def step(self, times):
        terms = self.losses(times)
        loss = torch.tensor(sum(terms.values()), requires_grad=True)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


trainer = Trainer(nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 2)))
for step in range(120):
    loss = trainer.step(6.28 * torch.rand(64, 1))
    if step % 20 == 0:
        print(f"step {step}: loss {loss:.4f}")
