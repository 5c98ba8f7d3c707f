"""Learns shapes of noisy curves; two workers add the noise."""

import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Curves(Dataset):
    def __init__(self):
        self.kind = torch.randint(0, 3, (240,))
        self.time = torch.linspace(0, 6, 32)
        self.dice = random

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, index):
        clean = torch.sin(self.time * (1 + self.kind[index]))
        noise = [self.dice.gauss(0, 0.3) for _ in self.time]
        return clean + torch.tensor(noise), self.kind[index]


if __name__ == "__main__":
    loader = DataLoader(Curves(), batch_size=24, shuffle=True, num_workers=2)
    model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(4):
        for curve, kind in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(curve), kind)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
