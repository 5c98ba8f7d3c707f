"""Chargeback prediction from transaction tables. Merchant and device ids are encoded by
their smoothed historical chargeback rate, everything else goes in as numbers."""
import os

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score

SEED = int(os.environ.get("SEED", 0))
N_HIST, N_TRAIN = 3000, 6000  # rows in time order: history | train | test
NUMERIC = ["log_amount", "hour_sin", "hour_cos", "account_age", "n_prev"]
CATEGORICAL = ["merchant", "device"]


def load_transactions(n=9000, seed=SEED):
    r = np.random.default_rng(seed)
    hour = r.uniform(0, 24, n)
    df = pd.DataFrame({
        "log_amount": r.normal(3.5, 1.0, n),
        "hour_sin": np.sin(2 * np.pi * hour / 24),
        "hour_cos": np.cos(2 * np.pi * hour / 24),
        "account_age": r.exponential(2.0, n),
        "n_prev": r.poisson(3, n).astype(float),
        "merchant": r.integers(0, 2500, n),
        "device": r.integers(0, 3500, n),
    })
    merchant_risk = r.normal(0, 0.5, 2500)
    logit = (-0.9 + 0.6 * (df.log_amount - 3.5) + 0.5 * df.hour_cos - 0.25 * (df.account_age - 2)
             + merchant_risk[df.merchant])
    df["chargeback"] = (r.uniform(size=n) < 1 / (1 + np.exp(-logit))).astype(int)
    return df


class RateEncoder:
    def __init__(self, columns, target, smoothing=2.0):
        self.columns, self.target, self.smoothing = columns, target, smoothing
        self.tables = {}

    def fit(self, df):
        self.prior = df[self.target].mean()
        for c in self.columns:
            g = df.groupby(c)[self.target].agg(["sum", "count"])
            self.tables[c] = (g["sum"] + self.smoothing * self.prior) / (g["count"] + self.smoothing)
        return self

    def transform(self, df):
        out = df.copy()
        for c in self.columns:
            out[c + "_rate"] = df[c].map(self.tables[c]).fillna(self.prior)
        return out


def build_features(df):
    encoder = RateEncoder(CATEGORICAL, "chargeback").fit(df)
    df = encoder.transform(df)
    cols = NUMERIC + [c + "_rate" for c in CATEGORICAL]
    x = df[cols].to_numpy(np.float32)
    mean, std = x[N_HIST:N_TRAIN].mean(0), x[N_HIST:N_TRAIN].std(0)
    return torch.from_numpy((x - mean) / std), torch.from_numpy(df["chargeback"].to_numpy(np.float32))


class MLP(nn.Sequential):
    def __init__(self, d, h=48, p=0.1):
        super().__init__(nn.Linear(d, h), nn.ReLU(), nn.Dropout(p),
                         nn.Linear(h, h), nn.ReLU(), nn.Dropout(p), nn.Linear(h, 1))


def batches(n, size):
    perm = torch.randperm(n)
    for i in range(0, n - size + 1, size):
        yield perm[i:i + size]


def main():
    torch.manual_seed(SEED)
    df = load_transactions()
    X, y = build_features(df)
    train = slice(N_HIST, N_TRAIN)
    Xtr, ytr, Xte, yte = X[train], y[train], X[N_TRAIN:], y[N_TRAIN:]

    model = MLP(X.shape[1])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(25):
        model.train()
        losses = []
        for idx in batches(len(Xtr), 64):
            opt.zero_grad()
            loss = criterion(model(Xtr[idx]).squeeze(1), ytr[idx])
            loss.backward()
            opt.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            auc = roc_auc_score(yte.numpy(), model(Xte).squeeze(1).numpy())
        print(f"epoch {epoch:2d} | loss {np.mean(losses):.4f} | test auc {auc:.4f}")
    print(f"final test auc {auc:.4f}")


if __name__ == "__main__":
    main()
