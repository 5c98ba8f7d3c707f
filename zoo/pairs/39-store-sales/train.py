"""Next-day sales per store from calendar, promotion and history features."""
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def synth_sales(n_stores=25, n_days=240, seed=9):
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(n_stores):
        base, level = rng.uniform(40, 90), 0.0
        weekly = rng.normal(0, 8, 7)
        for d in range(n_days):
            promo = int(rng.random() < 0.2)
            level = 0.9 * level + rng.normal(0, 4)
            sales = base + level + weekly[d % 7] + 15 * promo + rng.normal(0, 6)
            rows.append((s, d, d % 7, promo, sales))
    return pd.DataFrame(rows, columns=["store", "day", "dow", "promo", "sales"])


def add_features(df):
    df = df.sort_values(["store", "day"]).copy()
    g = df.groupby("store")["sales"]
    for lag in (1, 2, 7):
        df[f"lag_{lag}"] = g.shift(lag)
    df["mean_3"] = g.transform(lambda s: s.rolling(3).mean())
    df["std_3"] = g.transform(lambda s: s.rolling(3).std())
    df["store_mean"] = df["store"].map(df[df["day"] < 180].groupby("store")["sales"].mean())
    df = pd.get_dummies(df, columns=["dow"], dtype=float)
    return df.dropna()


class Forecaster(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def main():
    torch.manual_seed(9)
    df = add_features(synth_sales())
    features = [c for c in df.columns if c not in ("sales", "store", "day")]
    train, test = df[df["day"] < 180], df[df["day"] >= 180]          # split in time
    mu, sd = train[features].mean(), train[features].std()
    y_mu, y_sd = train["sales"].mean(), train["sales"].std()

    def tensors(part):
        x = ((part[features] - mu) / sd).to_numpy(np.float32)
        y = ((part["sales"] - y_mu) / y_sd).to_numpy(np.float32)
        return torch.from_numpy(x), torch.from_numpy(y)

    loader = DataLoader(TensorDataset(*tensors(train)), batch_size=64, shuffle=True)
    x_test, y_test = tensors(test)

    model = Forecaster(len(features))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    for epoch in range(15):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(yb)
        model.eval()
        with torch.no_grad():
            err = (model(x_test) - y_test) * float(y_sd)
        r2 = 1 - (err ** 2).mean().item() / test["sales"].var()
        print(f"epoch {epoch:2d}  train mse {total / len(loader.dataset):.4f}  test MAE {err.abs().mean():.3f}  test R2 {r2:.4f}")


if __name__ == "__main__":
    main()
