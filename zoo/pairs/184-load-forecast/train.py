"""Day-ahead forecast of a synthetic electricity load series with a small GRU, batches prepared in advance."""
import argparse

import numpy as np
import torch
from torch import nn


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--history", type=int, default=72)
    p.add_argument("--horizon", type=int, default=24)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--hidden", type=int, default=48)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def synthetic_load(n_hours, rng):
    """Daily and weekly cycles, a slow drift, temperature-like AR noise."""
    t = np.arange(n_hours)
    daily = np.sin(2 * np.pi * t / 24) + 0.4 * np.sin(4 * np.pi * t / 24 + 0.7)
    weekend = ((t // 24) % 7 >= 5).astype(float)
    ar = np.zeros(n_hours)
    for i in range(1, n_hours):
        ar[i] = 0.97 * ar[i - 1] + 0.08 * rng.normal()
    load = 50 + 10 * daily * (1 - 0.5 * weekend) - 6 * weekend + 4 * ar + 4 * np.sin(2 * np.pi * t / (24 * 60))
    calendar = np.stack([np.sin(2 * np.pi * t / 24), np.cos(2 * np.pi * t / 24), weekend], 1)
    return load.astype(np.float32), calendar.astype(np.float32)


class WindowBatches:
    """Cuts the series into windows once and keeps them as ready-made tensors."""

    def __init__(self, load, calendar, starts, history, horizon, batch_size):
        self.batches = []
        n_feat = 1 + calendar.shape[1]
        x = np.empty((batch_size, history, n_feat), dtype=np.float32)
        future = np.empty((batch_size, horizon, calendar.shape[1]), dtype=np.float32)
        y = np.empty((batch_size, horizon), dtype=np.float32)
        for b in range(0, len(starts) - batch_size + 1, batch_size):
            for row, s in enumerate(starts[b:b + batch_size]):
                mid, end = s + history, s + history + horizon
                x[row, :, 0] = load[s:mid]
                x[row, :, 1:] = calendar[s:mid]
                future[row] = calendar[mid:end]
                y[row] = load[mid:end]
            self.batches.append((torch.from_numpy(x), torch.from_numpy(future), torch.from_numpy(y)))

    def __len__(self):
        return len(self.batches)

    def iterate(self, shuffle):
        order = np.random.permutation(len(self)) if shuffle else np.arange(len(self))
        for i in order:
            yield self.batches[i]


class Forecaster(nn.Module):
    def __init__(self, n_feat, n_cal, hidden, horizon):
        super().__init__()
        self.gru = nn.GRU(n_feat, hidden, batch_first=True)
        self.step = nn.Sequential(nn.Linear(hidden + n_cal, 64), nn.ReLU(), nn.Linear(64, 1))
        self.lead = nn.Parameter(torch.zeros(horizon, hidden))

    def forward(self, x, future):
        _, h = self.gru(x)
        h = h[0].unsqueeze(1) + self.lead
        return self.step(torch.cat([h, future], -1)).squeeze(-1)


@torch.no_grad()
def evaluate(model, batches, scale):
    model.eval()
    err, naive = [], []
    for x, future, y in batches.iterate(False):
        err.append((model(x, future) - y).abs().mean().item() * scale)
        naive.append((x[:, -24:, 0] - y).abs().mean().item() * scale)
    return float(np.mean(err)), float(np.mean(naive))


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    rng = np.random.default_rng(args.seed)
    load, calendar = synthetic_load(24 * 7 * 40, rng)
    cut = int(0.8 * len(load))
    mean, std = load[:cut].mean(), load[:cut].std()
    load = (load - mean) / std
    span = args.history + args.horizon
    train_starts = rng.permutation(np.arange(0, cut - span, 4))
    val_starts = rng.permutation(np.arange(cut, len(load) - span, 3))
    shape = (args.history, args.horizon, args.batch_size)
    train = WindowBatches(load, calendar, train_starts, *shape)
    val = WindowBatches(load, calendar, val_starts, *shape)

    model = Forecaster(1 + calendar.shape[1], calendar.shape[1], args.hidden, args.horizon)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, future, y in train.iterate(True):
            loss = nn.functional.mse_loss(model(x, future), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item()
        sched.step()
        mae, naive = evaluate(model, val, std)
        print(f"epoch {epoch:2d} loss {total / len(train):.4f} val mae {mae:.3f} (yesterday's load {naive:.3f})")
    mae, naive = evaluate(model, val, std)
    print(f"final val mae {mae:.4f} (naive {naive:.4f})")


if __name__ == "__main__":
    main()
