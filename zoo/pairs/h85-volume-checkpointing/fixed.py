"""Tumour-like blob segmentation in small 3-D volumes: two volumes per step, GroupNorm, activation checkpointing."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


@dataclass
class Config:
    size: int = 16
    width: int = 12
    batch: int = 2
    steps: int = 320
    lr: float = 3e-3
    power: float = 0.9
    seed: int = 40


def volumes(n, size, seed):
    rng = np.random.default_rng(seed)
    zz, yy, xx = np.mgrid[0:size, 0:size, 0:size]
    x = np.zeros((n, 1, size, size, size), dtype=np.float32)
    y = np.zeros_like(x)
    for i in range(n):
        scan = rng.normal(0, 0.25, (size,) * 3)
        scan += 0.5 * np.sin(xx / rng.uniform(2, 5) + rng.uniform(0, 6)) * np.cos(yy / rng.uniform(2, 5))
        for is_lesion in (True, rng.random() < 0.7, False, False):
            c = rng.uniform(4, size - 4, 3)
            r = rng.uniform(2.0, 3.6)
            d = np.sqrt((zz - c[0]) ** 2 + (yy - c[1]) ** 2 + (xx - c[2]) ** 2)
            if is_lesion:
                scan += 1.2 * (d < r)
                y[i, 0][d < r] = 1
            else:
                # vessels: bright shells that must not be marked
                scan += 1.2 * ((d < r) & (d > r - 1.1)) * (y[i, 0] == 0)
        x[i, 0] = scan
    return torch.tensor(x), torch.tensor(y)


class Unit(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv3d(i, o, 3, padding=1, bias=False), nn.GroupNorm(4, o), nn.LeakyReLU(0.1),
            nn.Conv3d(o, o, 3, padding=1, bias=False), nn.GroupNorm(4, o))
        self.skip = nn.Conv3d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x):
        return F.leaky_relu(self.body(x) + self.skip(x), 0.1)


class VolumeNet(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.enc = Unit(1, w)
        self.mid = Unit(w, 2 * w)
        self.dec = Unit(3 * w, w)
        self.out = nn.Conv3d(w, 1, 1)

    def run(self, unit, x):
        if self.training:
            return checkpoint(unit, x, use_reentrant=False)
        return unit(x)

    def forward(self, x):
        a = self.run(self.enc, x)
        b = self.run(self.mid, F.avg_pool3d(a, 2))
        b = F.interpolate(b, scale_factor=2, mode="nearest")
        return self.out(self.run(self.dec, torch.cat([a, b], 1)))


def soft_dice(logits, target):
    p = torch.sigmoid(logits).flatten(1)
    t = target.flatten(1)
    return 1 - (2 * (p * t).sum(1) + 1) / (p.sum(1) + t.sum(1) + 1)


@torch.no_grad()
def dice_score(model, x, y):
    model.eval()
    pred = torch.cat([model(v) > 0 for v in x.split(10)]).flatten(1)
    t = y.flatten(1) > 0
    model.train()
    return (2 * (pred & t).sum(1) / (pred.sum(1) + t.sum(1)).clamp_min(1)).mean().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    x, y = volumes(200, cfg.size, 1)
    xt, yt = volumes(40, cfg.size, 2)
    print(f"foreground share {y.mean():.3%}")
    model = VolumeNet(cfg.width)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr * 10, momentum=0.9, nesterov=True, weight_decay=1e-4)
    running = 0.0
    for step in range(cfg.steps):
        for group in opt.param_groups:
            group["lr"] = cfg.lr * 10 * (1 - step / cfg.steps) ** cfg.power
        idx = torch.randint(0, len(x), (cfg.batch,))
        logits = model(x[idx])
        loss = soft_dice(logits, y[idx]).mean() + F.binary_cross_entropy_with_logits(logits, y[idx])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 12.0)
        opt.step()
        running += loss.item()
        if (step + 1) % 40 == 0:
            print(f"step {step + 1} loss {running / 40:.4f} test dice {dice_score(model, xt, yt):.4f}", flush=True)
            running = 0.0
    print(f"final test dice {dice_score(model, xt, yt):.4f}")


if __name__ == "__main__":
    main()
