"""Sales regression with entity embeddings; the last months are held out."""
import argparse

import numpy as np
import pandas as pd
import torch
import torch.nn as nn

CITIES = ["Aarhus", "Bergen", "Cork", "Dresden", "Espoo", "Faro", "Gdansk", "Haarlem", "Izmir", "Jena",
          "Kaunas", "Lille", "Malmo", "Nantes", "Oulu", "Porto"]
PROMOS = ["bundle", "coupon", "flyer", "loyalty", "none", "outlet"]


def simulate_sales(seed, n=7000):
    """Daily sales per store visit; some towns' stores have closed before the last quarter."""
    r = np.random.default_rng(seed)
    df = pd.DataFrame({
        "day": np.sort(r.integers(0, 730, n)),
        "city": r.choice(CITIES, n),
        "promo": r.choice(PROMOS, n, p=[.1, .15, .15, .1, .4, .1]),
        "floor_area": r.uniform(0.2, 2.0, n),
        "temperature": r.normal(11, 7, n),
    })
    base = dict(zip(CITIES, r.normal(0, 1.2, len(CITIES))))
    lift = dict(zip(PROMOS, r.normal(0, 0.8, len(PROMOS))))
    season = 0.6 * np.sin(2 * np.pi * df.day / 365)
    df["sales"] = (5 + df.city.map(base) + df.promo.map(lift) * np.sqrt(df.floor_area) + 1.1 * df.floor_area
                   + season + 0.02 * df.temperature + 0.3 * r.standard_normal(n))
    closed = (df.day > 540) & df.city.isin(["Bergen", "Gdansk", "Kaunas"])
    return df[~closed].reset_index(drop=True)


def prepare(df):
    """Frame -> (categorical ids, numbers, target)."""
    cats = np.stack([df[c].astype("category").cat.codes for c in ("city", "promo")], 1).astype(np.int64)
    nums = np.stack([
        df.floor_area - 1.1,
        (df.temperature - 11) / 7,
        np.sin(2 * np.pi * df.day / 365),
        np.cos(2 * np.pi * df.day / 365),
    ], 1).astype(np.float32)
    return cats, nums, df.sales.to_numpy(np.float32)


class SalesNet(nn.Module):
    def __init__(self, n_num, hidden=64):
        super().__init__()
        self.city = nn.Embedding(len(CITIES), 6)
        self.promo = nn.Embedding(len(PROMOS), 3)
        self.net = nn.Sequential(nn.Linear(9 + n_num, hidden), nn.GELU(),
                                 nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, 1))

    def forward(self, cats, nums):
        h = torch.cat([self.city(cats[:, 0]), self.promo(cats[:, 1]), nums], 1)
        return self.net(h)[:, 0]


class Trainer:
    def __init__(self, model, lr, epochs, batch):
        self.model, self.epochs, self.batch = model, epochs, batch
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)

    def fit(self, train, test):
        cats, nums, y = train
        for ep in range(1, self.epochs + 1):
            self.model.train()
            losses = []
            for idx in torch.randperm(len(y)).split(self.batch):
                loss = nn.functional.huber_loss(self.model(cats[idx], nums[idx]), y[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                losses.append(loss.item())
            self.sched.step()
            print(f"epoch {ep:2d}  train huber {np.mean(losses):.4f}  test mae {self.mae(test):.4f}")

    @torch.no_grad()
    def mae(self, split):
        self.model.eval()
        cats, nums, y = split
        return (self.model(cats, nums) - y).abs().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    df = simulate_sales(args.seed)
    last_train_day = 560
    train_df, test_df = df[df.day <= last_train_day], df[df.day > last_train_day]
    train = [torch.from_numpy(a) for a in prepare(train_df)]
    test = [torch.from_numpy(a) for a in prepare(test_df)]

    mean, std = train[2].mean(), train[2].std()
    for split in (train, test):
        split[2] = (split[2] - mean) / std

    trainer = Trainer(SalesNet(train[1].shape[1]), args.lr, args.epochs, args.batch)
    trainer.fit(train, test)
    print(f"baseline (train mean) mae {test[2].abs().mean() * std:.4f}")
    print(f"final test mae {trainer.mae(test) * std:.4f}")


if __name__ == "__main__":
    main()
