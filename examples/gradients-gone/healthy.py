"""A small generative adversarial network on a ring of points."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.99))
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.99))
real, fake = torch.ones(64, 1), torch.zeros(64, 1)


def ring(count):
    angle = 6.28 * torch.rand(count)
    return torch.stack([angle.cos(), angle.sin()], dim=1)


for step in range(120):
    made = generator(torch.randn(64, 4))
    fooled = F.binary_cross_entropy_with_logits(critic(made), real)
    generator_optimizer.zero_grad()
    fooled.backward()
    critic_optimizer.zero_grad()
    generator_optimizer.step()

    told_real = F.binary_cross_entropy_with_logits(critic(ring(64)), real)
    told_fake = F.binary_cross_entropy_with_logits(critic(made.detach()), fake)
    (told_real + told_fake).backward()
    critic_optimizer.step()
    if step % 30 == 0:
        print(f"step {step}: generator {fooled.item():.3f}, critic {(told_real + told_fake).item():.3f}")
