"""Recognises twelve speakers by the angle between a voice and each speaker's own direction."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TEMPERATURE = 0.07


class Speakers(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 32))
        self.directions = nn.Parameter(torch.randn(12, 32))

    def forward(self, voices):
        cosines = F.normalize(self.embed(voices), dim=1) @ F.normalize(self.directions, dim=1).T
        return cosines / TEMPERATURE


torch.manual_seed(0)
typical = torch.randn(12, 30)
speakers = torch.randint(0, 12, (4800,))
voices = typical[speakers] + 0.6 * torch.randn(4800, 30)
loader = DataLoader(TensorDataset(voices, speakers), batch_size=24, shuffle=True)

model = Speakers()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for step, (batch, target) in enumerate(loader):
    loss = F.cross_entropy(model(batch), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
