"""Classify vibration snippets with a learnable filter bank in front of a small head."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    n_train: int = 2000
    n_test: int = 800
    length: int = 128
    n_filters: int = 6
    kernel: int = 41
    lr: float = 3e-3
    weight_decay: float = 1e-3
    batch: int = 40
    epochs: int = 10
    seed: int = 2


FREQS = [0.050, 0.072, 0.094, 0.116, 0.138, 0.160]


def make(n, cfg, rng):
    y = rng.integers(0, len(FREQS), n)
    t = np.arange(cfg.length)
    f = np.array(FREQS)[y] + rng.normal(0, 0.003, n)
    x = rng.uniform(0.5, 1.0, n)[:, None] * np.sin(2 * np.pi * f[:, None] * t + rng.uniform(0, 6.28, n)[:, None])
    hum = rng.uniform(0.5, 2.0, n)[:, None] * np.sin(2 * np.pi * 0.3 * t + rng.uniform(0, 6.28, n)[:, None])
    x = x + hum + rng.normal(0, 0.8, x.shape)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class FilterBank(nn.Module):
    def __init__(self, n, kernel):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(n, 1, kernel) / kernel**0.5)
        self.register_buffer("window", torch.hamming_window(kernel, periodic=False))

    def forward(self, x):
        y = F.conv1d(x[:, None], self.taps * self.window)
        return torch.log(y.square().mean(-1) + 1e-3)


class Classifier(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.bank = FilterBank(cfg.n_filters, cfg.kernel)
        self.norm = nn.LayerNorm(cfg.n_filters)
        self.fc1 = nn.Linear(cfg.n_filters, 32)
        self.fc2 = nn.Linear(32, len(FREQS))

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(self.norm(self.bank(x)))))


def build_optimizer(model, cfg):
    decay, plain = [], []
    for name, p in model.named_parameters():
        if name.endswith("bias") or "norm" in name:
            plain.append(p)
        else:
            decay.append(p)
    groups = [{"params": decay, "weight_decay": cfg.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=cfg.lr)


def main(cfg):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    xtr, ytr = make(cfg.n_train, cfg, rng)
    xte, yte = make(cfg.n_test, cfg, rng)
    model = Classifier(cfg)
    opt = build_optimizer(model, cfg)
    steps = cfg.epochs * (cfg.n_train // cfg.batch)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    for epoch in range(cfg.epochs):
        model.train()
        for idx in torch.randperm(cfg.n_train).split(cfg.batch):
            loss = F.cross_entropy(model(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        if epoch % 2 == 1:
            with torch.no_grad():
                print(f"epoch {epoch} loss {loss.item():.4f} train acc {(model(xtr).argmax(1) == ytr).float().mean():.3f}")
    model.eval()
    with torch.no_grad():
        print(f"held-out accuracy {(model(xte).argmax(1) == yte).float().mean():.3f}")


if __name__ == "__main__":
    main(Config())
