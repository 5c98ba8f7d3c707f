"""DDPM on a 2-D checkerboard-of-rings density. Samples are drawn from the EMA weights."""
import argparse
import math
import time

import torch
import torch.nn as nn


def sample_data(n, gen):
    """two rings and a diagonal bar"""
    kind = torch.randint(0, 3, (n,), generator=gen)
    ang = torch.rand(n, generator=gen) * 2 * math.pi
    ring = torch.stack([ang.cos(), ang.sin()], 1)
    centre = torch.tensor([[-1.2, 0.8], [1.2, -0.8], [0.0, 0.0]])[kind]
    radius = torch.tensor([0.7, 0.5, 0.0])[kind].unsqueeze(1)
    bar = (torch.rand(n, 1, generator=gen) * 2 - 1) * torch.tensor([[1.0, 1.0]]) * 1.4
    pts = centre + radius * ring
    pts[kind == 2] = bar[kind == 2]
    return pts + 0.04 * torch.randn(n, 2, generator=gen)


class Denoiser(nn.Module):
    def __init__(self, hidden=128, t_dim=32):
        super().__init__()
        freqs = torch.exp(torch.linspace(0, math.log(1000.0), t_dim // 2))
        self.register_buffer("freqs", freqs)
        self.net = nn.Sequential(
            nn.Linear(2 + t_dim, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, x, t):
        a = t.unsqueeze(1) * self.freqs
        return self.net(torch.cat([x, a.sin(), a.cos()], dim=1))


class EMA:
    """Exponential moving average of the weights, kept apart from the model."""

    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {}
        for name, p in model.named_parameters():
            self.shadow[name] = p.detach().clone().to(torch.bfloat16)

    @torch.no_grad()
    def update(self, model):
        for name, p in model.named_parameters():
            s = self.shadow[name]
            s.add_((p.detach() - s).to(s.dtype), alpha=1 - self.decay)

    def copy_to(self, model):
        own = dict(model.named_parameters())
        with torch.no_grad():
            for name, s in self.shadow.items():
                own[name].copy_(s)


class Diffusion:
    def __init__(self, steps):
        s = torch.linspace(0, 1, steps + 1)
        f = torch.cos((s + 0.008) / 1.008 * math.pi / 2) ** 2
        self.steps = steps
        self.betas = (1 - f[1:] / f[:-1]).clamp(max=0.999)
        self.alphas = 1 - self.betas
        self.abar = torch.cumprod(self.alphas, 0)

    def loss(self, model, x0):
        t = torch.randint(0, self.steps, (len(x0),))
        a = self.abar[t].unsqueeze(1)
        eps = torch.randn_like(x0)
        xt = a.sqrt() * x0 + (1 - a).sqrt() * eps
        return ((model(xt, t / self.steps) - eps) ** 2).mean()

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i / self.steps)
            eps = model(x, t)
            a, ab = self.alphas[i], self.abar[i]
            x = (x - (1 - a) / (1 - ab).sqrt() * eps) / a.sqrt()
            if i > 0:
                x = x + self.betas[i].sqrt() * torch.randn_like(x)
        return x


def sliced_wasserstein(a, b, n_proj=200):
    d = torch.randn(2, n_proj)
    d = d / d.norm(dim=0, keepdim=True)
    return ((a @ d).sort(0).values - (b @ d).sort(0).values).abs().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--iters", type=int, default=4500)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--ema", type=float, default=0.998)
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    gen = torch.Generator().manual_seed(a.seed + 1)

    model = Denoiser()
    ema = EMA(model, a.ema)
    diff = Diffusion(a.steps)
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    started = time.time()
    running = 0.0
    for it in range(1, a.iters + 1):
        loss = diff.loss(model, sample_data(a.batch, gen))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        ema.update(model)
        running += loss.item()
        if it % 500 == 0:
            print(f"iter {it} loss {running / 500:.4f} ({time.time() - started:.0f}s)")
            running = 0.0

    sampler = Denoiser()
    ema.copy_to(sampler)
    sampler.eval()
    samples = diff.sample(sampler, 4000)
    reference = sample_data(4000, gen)
    print(f"sliced wasserstein: {sliced_wasserstein(samples, reference):.4f}")


if __name__ == "__main__":
    main()
