"""Unsupervised adaptation of a spectrum classifier from the lab instrument to the field instrument (DANN)."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    bands: int = 48
    classes: int = 5
    n: int = 3000
    batch: int = 64
    epochs: int = 20
    lr: float = 3e-4
    strength: float = 1.0
    seed: int = 33


def spectra(n, cfg, field, seed):
    """Absorption lines give the substance; the field instrument adds a slope, a ripple and a different gain."""
    rng = np.random.default_rng(seed)
    grid = np.linspace(0, 1, cfg.bands)
    world = np.random.default_rng(7)
    centers = world.uniform(0.1, 0.9, size=(cfg.classes, 3))
    y = rng.integers(0, cfg.classes, n)
    x = np.zeros((n, cfg.bands))
    for k in range(3):
        mu = centers[y, k][:, None] + rng.normal(0, 0.006, (n, 1))
        x -= rng.uniform(0.6, 1.2, (n, 1)) * np.exp(-((grid - mu) ** 2) / (2 * 0.035 ** 2))
    if field:
        phase = rng.normal(0.3, 0.2, (n, 1))
        x = 0.85 * x + 0.6 * (grid - 0.3) + 0.3 * np.sin(2 * np.pi * (2.0 * grid + phase)) + 0.3
    x += rng.normal(0, 0.18, x.shape)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class Reverse(torch.autograd.Function):
    """Identity forwards, gradient times -strength backwards."""

    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class Network(nn.Module):
    def __init__(self, cfg, dim=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Linear(cfg.bands, 64), nn.ReLU(), nn.Linear(64, dim), nn.ReLU())
        self.substance = nn.Linear(dim, cfg.classes)
        self.instrument = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.substance(self.features(x))

    def both(self, x, strength):
        z = self.features(x)
        return self.substance(z), self.instrument(Reverse.apply(z, strength)).squeeze(1)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    hit = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return hit


def train(cfg, adapt):
    torch.manual_seed(cfg.seed)
    xs, ys = spectra(cfg.n, cfg, False, 1)
    xt, _ = spectra(cfg.n, cfg, True, 2)
    xe, ye = spectra(1000, cfg, True, 3)
    model = Network(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    total, it = cfg.epochs * (cfg.n // cfg.batch), 0
    for epoch in range(cfg.epochs):
        order_s, order_t = torch.randperm(cfg.n), torch.randperm(cfg.n)
        sums = [0.0, 0.0]
        for i in range(cfg.n // cfg.batch):
            a, b = (o[i * cfg.batch:(i + 1) * cfg.batch] for o in (order_s, order_t))
            progress = it / total
            strength = cfg.strength * (2 / (1 + np.exp(-10 * progress)) - 1) if adapt else 0.0
            logits, origin = model.both(torch.cat([xs[a], xt[b]]), strength)
            task = F.cross_entropy(logits[:cfg.batch], ys[a])
            side = torch.cat([torch.zeros(cfg.batch), torch.ones(cfg.batch)])
            domain = F.binary_cross_entropy_with_logits(origin, side)
            opt.zero_grad()
            (task + domain).backward()
            opt.step()
            sums = [sums[0] + task.item(), sums[1] + domain.item()]
            it += 1
        if epoch % 4 == 3:
            print(f"{'adapted' if adapt else 'plain  '} epoch {epoch:2d} task {sums[0] / (i + 1):.4f} "
                  f"domain {sums[1] / (i + 1):.4f} field accuracy {accuracy(model, xe, ye):.4f}", flush=True)
    return accuracy(model, xe, ye)


if __name__ == "__main__":
    cfg = Config()
    plain = train(cfg, adapt=False)
    adapted = train(cfg, adapt=True)
    print(f"field accuracy without adaptation {plain:.4f}")
    print(f"final field accuracy {adapted:.4f}")
