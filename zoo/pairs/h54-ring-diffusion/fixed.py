"""Tiny diffusion model (v-prediction, cosine schedule) for eight Gaussians on a ring."""
import copy
import math

import torch
from torch import nn

T = 60


def ring(n, gen):
    k = torch.randint(8, (n,), generator=gen)
    a = k * (2 * math.pi / 8)
    return torch.stack([a.cos(), a.sin()], 1) * 1.4 + 0.06 * torch.randn(n, 2, generator=gen)


class Denoiser(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.register_buffer("freq", 2.0 ** torch.arange(5) * math.pi / 2)
        self.net = nn.Sequential(nn.Linear(2 + 10, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                 nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x, s):
        e = s[:, None] * self.freq
        return self.net(torch.cat([x, e.sin(), e.cos()], 1))


def signal_noise(s):
    return torch.cos(s * math.pi / 2)[:, None], torch.sin(s * math.pi / 2)[:, None]


@torch.no_grad()
def sample(model, n, gen):
    x = torch.randn(n, 2, generator=gen)
    grid = torch.linspace(0.995, 0.0, T + 1)
    for s, r in zip(grid[:-1], grid[1:]):
        a, b = signal_noise(s.expand(n))
        v = model(x, s.expand(n))
        x0, eps = a * x - b * v, b * x + a * v
        a, b = signal_noise(r.expand(n))
        x = a * x0 + b * eps
    return x


def energy_distance(p, q):
    return (2 * torch.cdist(p, q).mean() - torch.cdist(p, p).mean() - torch.cdist(q, q).mean()).item()


def main():
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    model = Denoiser()
    ema = copy.deepcopy(model)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3, betas=(0.9, 0.99))
    steps = 2500
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: 1 - 0.95 * i / steps)
    for step in range(steps):
        x0 = ring(256, gen)
        s = (torch.arange(256) + torch.rand(256)) / 256
        a, b = signal_noise(s)
        eps = torch.randn_like(x0)
        v = a * eps - b * x0
        loss = (model(a * x0 + b * eps, s) - v).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.lerp_(p, 1 - min(0.995, (1 + step) / (10 + step)))
        if step % 500 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    held = ring(1500, torch.Generator().manual_seed(77))
    got = sample(ema, 1500, torch.Generator().manual_seed(78))
    base = torch.randn(1500, 2, generator=gen)
    print(f"energy distance of plain noise {energy_distance(base, held):.4f}")
    near = (got.norm(dim=1) - 1.4).abs() < 0.2
    print(f"held-out energy distance {energy_distance(got, held):.4f}, share of samples on the ring {near.float().mean():.3f}")


if __name__ == "__main__":
    main()
