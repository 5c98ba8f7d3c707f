"""Next-hour electricity load forecast for one substation (MLP on hand-made features)."""
import argparse

import numpy as np
import pandas as pd
import torch
import torch.nn as nn


def simulate(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    daily = 8 * np.sin(2 * np.pi * (t % 24) / 24 - 1.2) + 3 * np.sin(4 * np.pi * (t % 24) / 24)
    weekly = -5.0 * ((t // 24) % 7 >= 5)
    noise = np.zeros(hours)
    shocks = rng.normal(0, 2.0, hours)
    for i in range(1, hours):
        noise[i] = 0.8 * noise[i - 1] + shocks[i]
    index = pd.date_range("2022-01-03", periods=hours, freq="h")
    return pd.DataFrame({"load": 60 + daily + weekly + noise}, index=index)


def make_features(df, window):
    f = pd.DataFrame(index=df.index)
    f["now"] = df["load"]
    for lag in (1, 2, 23, 167):
        f[f"lag_{lag}"] = df["load"].shift(lag)
    roll = df["load"].rolling(window, min_periods=window)
    f["roll_mean"] = roll.mean()
    f["roll_std"] = roll.std()
    hour = df.index.hour.to_numpy()
    f["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    f["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    f["weekend"] = (df.index.day_of_week >= 5).astype(float)
    f["target"] = df["load"].shift(-1)
    return f.dropna()


class Forecaster(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(),
                                  nn.Linear(hidden, hidden), nn.ReLU(),
                                  nn.Linear(hidden, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--hours", type=int, default=13000)
    p.add_argument("--window", type=int, default=5)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    table = make_features(simulate(args.hours, args.seed), args.window)
    split = int(0.8 * len(table))
    train, test = table.iloc[:split], table.iloc[split:]
    cols = [c for c in table.columns if c != "target"]
    mu, sd = train[cols].mean(), train[cols].std()
    y_mu, y_sd = train["target"].mean(), train["target"].std()

    def tensors(part):
        x = ((part[cols] - mu) / sd).to_numpy(np.float32)
        y = ((part["target"] - y_mu) / y_sd).to_numpy(np.float32)
        return torch.from_numpy(x), torch.from_numpy(y)

    x_tr, y_tr = tensors(train)
    x_te, y_te = tensors(test)
    naive = (test["target"] - test["now"]).abs().mean()
    model = Forecaster(len(cols), args.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        perm = torch.randperm(len(x_tr))
        model.train()
        for idx in perm.split(64):
            loss = nn.functional.mse_loss(model(x_tr[idx]), y_tr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            mae = (model(x_te) - y_te).abs().mean().item() * y_sd
        print(f"epoch {epoch + 1}: test MAE {mae:.3f} MW (persistence {naive:.3f} MW)")


if __name__ == "__main__":
    main()
