"""Next-day demand forecasting for many shops, with a robust, volume-weighted loss."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    shops: int = 40
    days: int = 420
    history: int = 28
    holdout: int = 60
    hidden: int = 48
    batch: int = 128
    epochs: int = 20
    lr: float = 2e-3
    delta: float = 0.5
    seed: int = 31


def sales(cfg):
    rng = np.random.default_rng(cfg.seed)
    day = np.arange(cfg.days)
    out = np.zeros((cfg.shops, cfg.days), dtype=np.float32)
    for s in range(cfg.shops):
        weekly = rng.normal(0, 0.35, 7)
        season = rng.uniform(0.1, 0.35) * np.sin(2 * np.pi * (day / 120 + rng.random()))
        noise, level = 0.0, np.zeros(cfg.days)
        for d in day:
            noise = 0.85 * noise + rng.normal(0, 0.12)
            level[d] = noise
        out[s] = np.exp(rng.normal(4, 0.7) + weekly[day % 7] + season + level + rng.normal(0, 0.08, cfg.days))
    return out


class Windows(Dataset):
    """(history, next value, shop volume weight); values are log sales standardised per shop."""

    def __init__(self, series, volume, start, stop, history):
        self.series, self.volume, self.history = series, volume, history
        self.index = [(s, d) for s in range(len(series)) for d in range(start + history, stop)]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        shop, day = self.index[i]
        past = self.series[shop, day - self.history : day]
        return past, self.series[shop, day], self.volume[shop]


class Forecaster(nn.Module):
    def __init__(self, history, hidden):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 7, padding=3), nn.ReLU())
        self.mlp = nn.Sequential(
            nn.Flatten(), nn.Linear(16 * history, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 1)
        )

    def forward(self, past):
        last_week = past[:, -7].unsqueeze(1)
        return (last_week + self.mlp(self.conv(past.unsqueeze(1)))).squeeze(-1)


class WeightedHuber(nn.Module):
    def __init__(self, delta):
        super().__init__()
        self.delta = delta

    def forward(self, forecast, actual, weight):
        error = forecast - actual
        size = error.abs()
        small = 0.5 * error**2
        large = self.delta * (size - 0.5 * self.delta)
        return (weight * torch.where(size <= self.delta, small, large)).mean()


class Trainer:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.loss = WeightedHuber(cfg.delta)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, cfg.epochs // 2, gamma=0.3)

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for past, actual, weight in loader:
            self.optimizer.zero_grad()
            loss = self.loss(self.model(past), actual, weight)
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        self.scheduler.step()
        return total / len(loader)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        guess = torch.cat([self.model(past).reshape(-1) for past, _, _ in loader])
        actual = torch.cat([actual for _, actual, _ in loader])
        return 1 - ((guess - actual) ** 2).mean().item() / actual.var().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    raw = sales(cfg)
    cut = cfg.days - cfg.holdout
    log = np.log(raw)
    mean, std = log[:, :cut].mean(1, keepdims=True), log[:, :cut].std(1, keepdims=True)
    series = torch.from_numpy((log - mean) / std)
    volume = torch.from_numpy(raw[:, :cut].mean(1))
    volume = (volume / volume.mean()).sqrt()
    train = DataLoader(Windows(series, volume, 0, cut, cfg.history), cfg.batch, shuffle=True)
    val = DataLoader(Windows(series, volume, cut - cfg.history, cfg.days, cfg.history), 512)
    trainer = Trainer(Forecaster(cfg.history, cfg.hidden), cfg)
    for epoch in range(cfg.epochs):
        loss = trainer.epoch(train)
        print(f"epoch {epoch + 1:2d} loss {loss:.4f} val R2 {trainer.evaluate(val):.4f}")
    print(f"final val R2 {trainer.evaluate(val):.4f}")


if __name__ == "__main__":
    main()
