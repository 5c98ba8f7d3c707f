"""Tiny denoising diffusion model for the two-moons density."""
import argparse
import copy
import math

import numpy as np
import torch
from sklearn.datasets import make_moons
from torch import nn

CONFIG = {
    "data": {"n_train": 4000, "n_test": 2000, "noise": 0.06},
    "model": {"hidden": 128, "time_dim": 32},
    "diffusion": {"steps": 60, "s": 0.008},
    "optim": {"lr": 2e-3, "iters": 3500, "batch": 256, "ema_decay": 0.9999},
}


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        freqs = torch.exp(torch.linspace(0, -math.log(1000.0), dim // 2))
        self.register_buffer("freqs", freqs)

    def forward(self, t):
        a = t[:, None].float() * self.freqs
        return torch.cat([a.sin(), a.cos()], dim=1)


class Denoiser(nn.Module):
    def __init__(self, hidden, time_dim):
        super().__init__()
        self.time = TimeEmbedding(time_dim)
        self.inp = nn.Linear(2 + time_dim, hidden)
        self.mid = nn.ModuleList(nn.Linear(hidden + time_dim, hidden) for _ in range(2))
        self.out = nn.Linear(hidden, 2)

    def forward(self, x, t):
        e = self.time(t)
        h = nn.functional.silu(self.inp(torch.cat([x, e], 1)))
        for layer in self.mid:
            h = h + nn.functional.silu(layer(torch.cat([h, e], 1)))
        return self.out(h)


class Diffusion:
    def __init__(self, steps, s):
        t = torch.linspace(0, 1, steps + 1)
        f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
        self.steps = steps
        self.beta = (1 - f[1:] / f[:-1]).clamp(max=0.999)
        self.alpha = 1 - self.beta
        self.abar = torch.cumprod(self.alpha, 0)

    def loss(self, model, x0):
        t = torch.randint(self.steps, (len(x0),))
        eps = torch.randn_like(x0)
        ab = self.abar[t][:, None]
        xt = ab.sqrt() * x0 + (1 - ab).sqrt() * eps
        return ((model(xt, t) - eps) ** 2).mean()

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.steps)):
            t = torch.full((n,), i)
            eps = model(x, t)
            x0 = ((x - (1 - self.abar[i]).sqrt() * eps) / self.abar[i].sqrt()).clamp(-3, 3)
            prev = self.abar[i - 1] if i else torch.tensor(1.0)
            mean = (prev.sqrt() * self.beta[i] * x0
                    + self.alpha[i].sqrt() * (1 - prev) * x) / (1 - self.abar[i])
            var = self.beta[i] * (1 - prev) / (1 - self.abar[i])
            x = mean + var.sqrt() * torch.randn_like(x) if i else mean
        return x


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.model = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for a, p in zip(self.model.parameters(), model.parameters()):
            a.mul_(self.decay).add_(p, alpha=1 - self.decay)


def sliced_wasserstein(a, b, n_proj=128):
    ang = torch.linspace(0, math.pi, n_proj)
    dirs = torch.stack([ang.cos(), ang.sin()])
    pa, pb = (a @ dirs).sort(0).values, (b @ dirs).sort(0).values
    return (pa - pb).abs().mean().item()


def load(cfg, seed):
    x, _ = make_moons(cfg["n_train"] + cfg["n_test"], noise=cfg["noise"], random_state=seed)
    x = x.astype(np.float32)
    train, test = x[:cfg["n_train"]], x[cfg["n_train"]:]
    mean, std = train.mean(0), train.std(0)
    return torch.from_numpy((train - mean) / std), torch.from_numpy((test - mean) / std)


def main(seed, cfg):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    train, test = load(cfg["data"], seed)
    diff = Diffusion(**cfg["diffusion"])
    model = Denoiser(**cfg["model"])
    o = cfg["optim"]
    ema = EMA(model, o["ema_decay"])
    opt = torch.optim.Adam(model.parameters(), lr=o["lr"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, o["iters"])
    run = 0.0
    for it in range(1, o["iters"] + 1):
        batch = train[torch.randint(len(train), (o["batch"],))]
        loss = diff.loss(model, batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        ema.update(model)
        run += loss.item()
        if it % 500 == 0:
            print(f"iter {it} loss {run / 500:.4f}")
            run = 0.0
    fake = diff.sample(ema.model, len(test))
    nearest = torch.cdist(fake, test).min(1).values
    print(f"sliced wasserstein {sliced_wasserstein(fake, test):.4f} "
          f"off-manifold fraction {(nearest > 0.15).float().mean():.4f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args().seed, CONFIG)
