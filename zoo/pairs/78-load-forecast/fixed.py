"""One-step-ahead forecast of an hourly load series with a GRU on a window of derived features."""
import argparse

import numpy as np
import pandas as pd
import torch
import torch.nn as nn


def simulate(n, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    ar = np.zeros(n)
    e = rng.standard_normal(n)
    for i in range(2, n):
        ar[i] = 0.5 * ar[i - 1] + 0.2 * ar[i - 2] + e[i]
    daily = 2.0 * np.sin(2 * np.pi * t / 24) + 0.8 * np.sin(4 * np.pi * t / 24 + 1)
    weekly = 0.8 * np.sin(2 * np.pi * t / 168)
    return pd.Series(20 + daily + weekly + 1.2 * ar, name="load")


def make_features(load):
    """Raw value, local trend and local volatility, calendar."""
    hours = np.arange(len(load)) % 24
    f = pd.DataFrame({"load": load})
    roll = load.rolling(window=5, min_periods=1)
    f["trend"] = roll.mean()
    f["vol"] = roll.std().fillna(0.0)
    f["day_mean"] = load.rolling(24, min_periods=1).mean()
    f["sin"] = np.sin(2 * np.pi * hours / 24)
    f["cos"] = np.cos(2 * np.pi * hours / 24)
    return f


class Windows(torch.utils.data.Dataset):
    def __init__(self, feats, target, length):
        self.x = torch.as_tensor(feats, dtype=torch.float32)
        self.y = torch.as_tensor(target, dtype=torch.float32)
        self.length = length

    def __len__(self):
        return len(self.x) - self.length

    def __getitem__(self, i):
        j = i + self.length
        return self.x[i:j], self.y[j]


class Forecaster(nn.Module):
    def __init__(self, d, h=32):
        super().__init__()
        self.rnn = nn.GRU(d, h, batch_first=True)
        self.out = nn.Sequential(nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1]).squeeze(-1)


def run_epoch(model, loader, opt=None):
    model.train(opt is not None)
    se, n = 0.0, 0
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            loss = ((model(x) - y) ** 2).mean()
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
            se += loss.item() * len(y)
            n += len(y)
    return se / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=4000)
    ap.add_argument("--window", type=int, default=24)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    torch.manual_seed(a.seed)

    load = simulate(a.n, a.seed)
    feats = make_features(load).to_numpy()
    cut = int(0.75 * a.n)
    mu, sd = feats[:cut].mean(0), feats[:cut].std(0)
    feats = (feats - mu) / sd
    y = (load.to_numpy() - mu[0]) / sd[0]

    train = Windows(feats[:cut], y[:cut], a.window)
    test = Windows(feats[cut:], y[cut:], a.window)
    tl = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True)
    vl = torch.utils.data.DataLoader(test, batch_size=256)

    model = Forecaster(feats.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=4, gamma=0.5)
    for ep in range(a.epochs):
        tr = run_epoch(model, tl, opt)
        te = run_epoch(model, vl)
        sched.step()
        print(f"epoch {ep + 1:2d}  train mse {tr:.4f}  test mse {te:.4f}")

    naive = float(((y[cut + 1:] - y[cut:-1]) ** 2).mean())
    print(f"persistence mse {naive:.4f}")
    print(f"final test rmse (load units) {te ** 0.5 * sd[0]:.4f}")


if __name__ == "__main__":
    main()
