"""One-hour-ahead load forecast per feeder from the past day of measurements."""
import sys

import numpy as np
import pandas as pd
import torch
import torch.nn as nn

CFG = dict(
    feeders=6, hours=24 * 120, lookback=24, smooth=5,
    hidden=48, epochs=12, batch=256, lr=2e-3, train_frac=0.7, val_frac=0.1,
)


def simulate(seed):
    rng = np.random.default_rng(seed)
    frames = []
    stamps = pd.date_range("2023-01-01", periods=CFG["hours"], freq="h")
    hour = stamps.hour.to_numpy()
    dow = stamps.dayofweek.to_numpy()
    for k in range(CFG["feeders"]):
        level = rng.uniform(40, 80)
        shape = 6 * np.sin(2 * np.pi * (hour - rng.uniform(6, 9)) / 24) + np.where(dow >= 5, -4, 0)
        drift = np.zeros(len(stamps))
        for t in range(1, len(stamps)):
            drift[t] = 0.9 * drift[t - 1] + rng.normal(0, 2.0)
        load = level + shape + drift + rng.normal(0, 5.0, len(stamps))
        frames.append(pd.DataFrame({"feeder": k, "time": stamps, "load": load}))
    return pd.concat(frames, ignore_index=True)


def add_features(df):
    df = df.sort_values(["feeder", "time"]).reset_index(drop=True)
    by = df.groupby("feeder")["load"]
    df["smooth"] = by.transform(lambda s: s.rolling(CFG["smooth"], min_periods=1).mean())
    nxt = df["time"] + pd.Timedelta(hours=1)
    df["sin"] = np.sin(2 * np.pi * nxt.dt.hour / 24)
    df["cos"] = np.cos(2 * np.pi * nxt.dt.hour / 24)
    df["weekend"] = (nxt.dt.dayofweek >= 5).astype(float)
    df["target"] = by.shift(-1)
    return df


def make_windows(df, start, stop, stats):
    xs, cs, ys = [], [], []
    L = CFG["lookback"]
    for k, part in df.groupby("feeder"):
        mu, sd = stats.loc[k, "mean"], stats.loc[k, "std"]
        sm = ((part["smooth"] - mu) / sd).to_numpy(np.float32)
        cal = part[["sin", "cos", "weekend"]].to_numpy(np.float32)
        tg = ((part["target"] - mu) / sd).to_numpy(np.float32)
        for t in range(start + L - 1, stop - 1):
            xs.append(sm[t - L + 1:t + 1])
            cs.append(cal[t])
            ys.append(tg[t])
    return (torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(cs)),
            torch.from_numpy(np.array(ys)))


class Forecaster(nn.Module):
    def __init__(self, lookback, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(lookback + 3, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 1))

    def forward(self, window, calendar):
        return self.net(torch.cat([window, calendar], 1)).squeeze(1)


def score(model, data):
    model.eval()
    with torch.no_grad():
        pred = model(data[0], data[1])
    y = data[2]
    mse = ((pred - y) ** 2).mean()
    return float(1 - mse / y.var(unbiased=False)), float((pred - y).abs().mean())


def train(seed):
    torch.manual_seed(seed)
    df = add_features(simulate(seed))
    n = CFG["hours"]
    a, b = int(n * CFG["train_frac"]), int(n * (CFG["train_frac"] + CFG["val_frac"]))
    first = df[df.groupby("feeder").cumcount() < a]
    stats = first.groupby("feeder")["load"].agg(["mean", "std"])
    tr = make_windows(df, 0, a, stats)
    va = make_windows(df, a, b, stats)
    te = make_windows(df, b, n, stats)
    print("windows", len(tr[2]), len(va[2]), len(te[2]))

    model = Forecaster(CFG["lookback"], CFG["hidden"])
    opt = torch.optim.AdamW(model.parameters(), lr=CFG["lr"], weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, CFG["epochs"])
    loss_fn = nn.MSELoss()
    for epoch in range(CFG["epochs"]):
        model.train()
        perm = torch.randperm(len(tr[2]))
        total = 0.0
        for idx in perm.split(CFG["batch"]):
            opt.zero_grad()
            loss = loss_fn(model(tr[0][idx], tr[1][idx]), tr[2][idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        r2, mae = score(model, va)
        print(f"epoch {epoch:2d} train mse {total / len(perm):.4f} val r2 {r2:.3f} mae {mae:.3f}")
    r2, mae = score(model, te)
    print(f"test r2 {r2:.4f} test mae {mae:.4f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 0)
