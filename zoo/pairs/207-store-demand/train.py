"""Demand model for a retail chain: entity embeddings + MLP on daily store/product rows."""
import argparse

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CATEGORICAL = ["store", "family", "weekday", "promo"]
NUMERIC = ["price", "temperature", "days_since_open"]


def make_sales(rows, seed):
    rng = np.random.default_rng(seed)
    stores = [f"{c}-{k:02d}" for c in ("AMS", "BRU", "CPH", "DUS", "EIN") for k in range(1, 9)]
    families = ["bakery", "beverages", "cleaning", "dairy", "frozen", "meat", "pets", "produce", "snacks", "toys"]
    promos = ["none", "leaflet", "multi-buy", "price-cut"]
    store_effect = dict(zip(stores, rng.normal(0, 0.6, len(stores))))
    family_effect = dict(zip(families, rng.normal(0, 0.7, len(families))))
    day = np.sort(rng.integers(0, 730, rows))
    df = pd.DataFrame({"date": pd.Timestamp("2022-01-03") + pd.to_timedelta(day, unit="D")})
    df["store"] = rng.choice(stores, rows)
    df["family"] = rng.choice(families, rows)
    df["weekday"] = df["date"].dt.day_name()
    df["promo"] = rng.choice(promos, rows, p=[0.55, 0.2, 0.15, 0.1])
    df["price"] = np.exp(rng.normal(1.0, 0.4, rows))
    df["temperature"] = 11 + 9 * np.sin(2 * np.pi * (day - 100) / 365) + rng.normal(0, 3, rows)
    df["days_since_open"] = day + rng.integers(100, 900, rows)
    closed = {"AMS-02", "AMS-03", "BRU-05", "DUS-01"}
    late = df["date"] >= "2023-10-01"
    df = df[~(late & df["store"].isin(closed))]
    df = df[~((df["date"] >= "2023-09-20") & (df["family"] == "cleaning"))].reset_index(drop=True)
    weekend = df["weekday"].isin(["Saturday", "Sunday"]).to_numpy()
    lift = df["promo"].map({"none": 0, "leaflet": 0.25, "multi-buy": 0.45, "price-cut": 0.8}).to_numpy()
    warm = df["family"].isin(["beverages", "frozen"]).to_numpy()
    log_units = (2.5 + df["store"].map(store_effect).to_numpy() + df["family"].map(family_effect).to_numpy()
                 + 0.35 * weekend + lift - 0.5 * np.log(df["price"].to_numpy())
                 + 0.04 * warm * (df["temperature"].to_numpy() - 11) + rng.normal(0, 0.3, len(df)))
    df["log_units"] = log_units
    return df


def encode(df, train):
    codes = []
    for col in CATEGORICAL:
        codes.append(df[col].astype("category").cat.codes.to_numpy() + 1)
    numeric = df[NUMERIC].to_numpy(dtype=np.float32)
    mean, std = train[NUMERIC].mean().to_numpy(), train[NUMERIC].std().to_numpy()
    x_num = ((numeric - mean) / std).astype(np.float32)
    y = df["log_units"].to_numpy(dtype=np.float32)
    return TensorDataset(torch.tensor(np.stack(codes, 1), dtype=torch.long), torch.tensor(x_num), torch.tensor(y))


class DemandNet(nn.Module):
    def __init__(self, cardinalities, n_num, dim=8, hidden=64, dropout=0.05):
        super().__init__()
        self.embeds = nn.ModuleList(nn.Embedding(c + 1, min(dim, (c + 1) // 2)) for c in cardinalities)
        width = sum(e.embedding_dim for e in self.embeds) + n_num
        self.mlp = nn.Sequential(
            nn.Linear(width, hidden), nn.SiLU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, cat, num):
        parts = [e(cat[:, i]) for i, e in enumerate(self.embeds)]
        return self.mlp(torch.cat(parts + [num], dim=1)).squeeze(1)


@torch.no_grad()
def score(model, loader):
    model.eval()
    pred, true = [], []
    for cat, num, y in loader:
        pred.append(model(cat, num))
        true.append(y)
    pred, true = torch.cat(pred), torch.cat(true)
    mse = ((pred - true) ** 2).mean()
    return mse.sqrt().item(), (1 - mse / true.var(unbiased=False)).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=30000)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--cutoff", default="2023-10-01")
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    df = make_sales(args.rows, args.seed)
    train_df = df[df["date"] < args.cutoff]
    test_df = df[df["date"] >= args.cutoff]
    print(f"rows: train {len(train_df)} test {len(test_df)}")
    train_set = encode(train_df, train_df)
    test_set = encode(test_df, train_df)
    train = DataLoader(train_set, args.batch_size, shuffle=True)
    test = DataLoader(test_set, 1024)

    model = DemandNet([train_df[c].nunique() for c in CATEGORICAL], len(NUMERIC))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * len(train))
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for cat, num, y in train:
            loss = nn.functional.mse_loss(model(cat, num), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(y)
        rmse, r2 = score(model, test)
        print(f"epoch {epoch} train mse {total / len(train_set):.4f} test rmse {rmse:.4f} r2 {r2:.4f}", flush=True)
    rmse, r2 = score(model, test)
    print(f"final test r2 {r2:.4f} rmse {rmse:.4f}")


if __name__ == "__main__":
    main()
