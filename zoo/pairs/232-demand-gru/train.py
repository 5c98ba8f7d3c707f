"""Multi-step demand forecast for 120 shops (GRU encoder, direct 14-day head)."""
from __future__ import annotations

import dataclasses
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclasses.dataclass
class Settings:
    shops: int = 120
    days: int = 420
    context: int = 56
    horizon: int = 14
    hidden: int = 48
    batch: int = 128
    lr: float = 2e-3
    epochs: int = 8
    seed: int = 0


class Scaler:
    """per-shop standardisation of log1p(sales)"""

    def fit(self, sales: np.ndarray) -> "Scaler":
        z = np.log1p(sales)
        self.mean = z.mean(1, keepdims=True)
        self.std = z.std(1, keepdims=True) + 1e-6
        return self

    def transform(self, sales: np.ndarray) -> np.ndarray:
        return (np.log1p(sales) - self.mean) / self.std

    def inverse(self, z: np.ndarray, shop: np.ndarray) -> np.ndarray:
        return np.expm1(z * self.std[shop] + self.mean[shop])


def make_sales(s: Settings) -> np.ndarray:
    rng = np.random.default_rng(s.seed)
    day = np.arange(s.days)
    base = rng.uniform(2.5, 6.0, (s.shops, 1))
    week = rng.normal(0, 0.45, (s.shops, 7))[:, day % 7]
    year = rng.uniform(0.1, 0.4, (s.shops, 1)) * np.sin(2 * math.pi * (day / 365 + rng.random((s.shops, 1))))
    noise = np.zeros((s.shops, s.days))
    for t in range(1, s.days):
        noise[:, t] = 0.7 * noise[:, t - 1] + rng.normal(0, 0.08, s.shops)
    return rng.poisson(np.exp(base + week + year + noise)).astype(np.float64)


def windows(z: np.ndarray, s: Settings, start: int, stop: int, step: int):
    xs, ys, shops = [], [], []
    for t in range(start + s.context, stop - s.horizon + 1, step):
        hist = z[:, t - s.context:t]
        dow = np.stack([np.sin(2 * np.pi * (np.arange(t - s.context, t) % 7) / 7),
                        np.cos(2 * np.pi * (np.arange(t - s.context, t) % 7) / 7)], -1)
        dow = np.broadcast_to(dow, (len(z), *dow.shape))
        xs.append(np.concatenate([hist[..., None], dow], -1))
        ys.append(z[:, t:t + s.horizon])
        shops.append(np.arange(len(z)))
    cat = lambda a: np.concatenate(a)
    return (torch.tensor(cat(xs), dtype=torch.float32), torch.tensor(cat(ys), dtype=torch.float32),
            torch.tensor(cat(shops)))


class Forecaster(nn.Module):
    def __init__(self, s: Settings):
        super().__init__()
        self.gru = nn.GRU(3, s.hidden, batch_first=True)
        self.head = nn.Sequential(
            nn.Linear(s.hidden + 7, 96),
            nn.GELU(),
            nn.Linear(96, s.horizon),
            nn.Softplus(),  # sales are never negative
        )

    def forward(self, x):
        h, _ = self.gru(x)
        return self.head(torch.cat([h[:, -1], x[:, -7:, 0]], dim=-1))


def wape(model: nn.Module, data, scaler: Scaler) -> float:
    model.eval()
    x, y, shop = data
    with torch.no_grad():
        z = torch.cat([model(b) for b in x.split(512)])
    pred = scaler.inverse(z.numpy(), shop.numpy())
    true = scaler.inverse(y.numpy(), shop.numpy())
    return float(np.abs(pred - true).sum() / true.sum())


def train(s: Settings) -> float:
    torch.manual_seed(s.seed)
    sales = make_sales(s)
    cut = s.days - 70
    scaler = Scaler().fit(sales[:, :cut])
    z = scaler.transform(sales)
    train_set = windows(z, s, 0, cut, step=5)
    test_set = windows(z, s, cut - s.context, s.days, step=7)
    loader = DataLoader(TensorDataset(*train_set), batch_size=s.batch, shuffle=True)
    model = Forecaster(s)
    opt = torch.optim.Adam(model.parameters(), lr=s.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, s.epochs * len(loader))
    crit = nn.SmoothL1Loss()
    for epoch in range(s.epochs):
        model.train()
        losses = []
        for x, y, _ in loader:
            loss = crit(model(x), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} train {np.mean(losses):.4f} test WAPE {wape(model, test_set, scaler):.4f}", flush=True)
    return wape(model, test_set, scaler)


if __name__ == "__main__":
    print(f"final WAPE: {train(Settings()):.4f}")
