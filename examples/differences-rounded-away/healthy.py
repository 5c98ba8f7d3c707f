"""Tells waves of eight pitches apart by holding them against sines and cosines of the time."""

import torch
from torch import nn

torch.manual_seed(0)
LENGTH, PITCHES = 512, 8
SPEEDS = torch.arange(1, PITCHES + 1).float() / 8


class Ear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.volume = nn.Parameter(torch.ones(2 * PITCHES))
        self.out = nn.Sequential(nn.Linear(2 * PITCHES, 64), nn.ReLU(), nn.Linear(64, PITCHES))

    def waves(self) -> torch.Tensor:
        angles = torch.arange(LENGTH)[:, None] * SPEEDS[None]
        return torch.cat([angles.float().cos(), angles.float().sin()], 1)

    def forward(self, sound: torch.Tensor) -> torch.Tensor:
        heard = (sound[..., None] * (self.waves() * self.volume)).mean(1)
        return self.out(4 * heard.abs())


ear = Ear()
optimizer = torch.optim.Adam(ear.parameters(), lr=3e-3)
for step in range(150):
    pitch = torch.randint(PITCHES, (64,))
    phase = 6.3 * torch.rand(64, 1)
    sound = (SPEEDS[pitch][:, None] * torch.arange(LENGTH) + phase).cos() + torch.randn(64, LENGTH)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = ear(sound)
    loss = nn.functional.cross_entropy(scores.float(), pitch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
