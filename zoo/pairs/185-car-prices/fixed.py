"""Entity-embedding network for synthetic used-car prices; validation on the most recent year."""
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_rows: int = 9000
    last_year: int = 2024
    categorical: list = field(default_factory=lambda: ["brand", "body", "region"])
    numeric: list = field(default_factory=lambda: ["age", "km", "power"])
    emb: int = 6
    hidden: int = 64
    epochs: int = 40
    batch_size: int = 64
    lr: float = 2e-3
    seed: int = 8


def make_table(cfg):
    rng = np.random.default_rng(cfg.seed)
    brands = ["Aurel", "Borga", "Cymo", "Daxon", "Eltra", "Ferno", "Giro", "Hakan", "Ilmar", "Jett", "Kolda", "Lumen"]
    brand_effect = dict(zip(brands, rng.permutation(np.linspace(-0.7, 0.7, len(brands)))))
    bodies = {"coupe": 0.3, "estate": 0.05, "hatch": -0.25, "sedan": 0.0, "suv": 0.35, "van": -0.1}
    regions = {"east": -0.15, "north": 0.1, "south": 0.0, "west": 0.15}
    year = rng.integers(2019, cfg.last_year + 1, cfg.n_rows)
    brand = rng.choice(brands, cfg.n_rows)
    # two makers left the market before the last year
    gone = (year == cfg.last_year) & np.isin(brand, ["Borga", "Ferno"])
    brand = np.where(gone, rng.choice(["Giro", "Hakan", "Lumen"], cfg.n_rows), brand)
    df = pd.DataFrame({
        "year": year, "brand": brand,
        "body": rng.choice(list(bodies), cfg.n_rows), "region": rng.choice(list(regions), cfg.n_rows),
        "age": rng.gamma(2.0, 2.5, cfg.n_rows).clip(0, 20), "power": rng.normal(90, 25, cfg.n_rows).clip(40, 220),
    })
    df["km"] = (df["age"] * 13 + rng.normal(0, 20, cfg.n_rows)).clip(0)
    log_price = (9.6 + df["brand"].map(brand_effect) + df["body"].map(bodies) + df["region"].map(regions)
                 - 0.09 * df["age"] - 0.002 * df["km"] + 0.006 * (df["power"] - 90)
                 + np.where(df["body"] == "van", -0.03 * df["age"], 0) + 0.08 * rng.normal(size=cfg.n_rows))
    df["price"] = np.exp(log_price)
    return df


class Preprocessor:
    """Turns a frame into category codes, standardised numbers and the log price."""

    def __init__(self, cfg, frame):
        self.cfg = cfg
        self.levels = {c: sorted(frame[c].unique()) for c in cfg.categorical}
        self.mean, self.std = frame[cfg.numeric].mean(), frame[cfg.numeric].std()
        target = np.log(frame["price"])
        self.t_mean, self.t_std = target.mean(), target.std()

    def codes(self, frame, column):
        return pd.Categorical(frame[column], categories=self.levels[column]).codes.astype(np.int64)

    def __call__(self, frame):
        cat = np.stack([self.codes(frame, c) for c in self.cfg.categorical], 1)
        num = ((frame[self.cfg.numeric] - self.mean) / self.std).to_numpy(np.float32)
        y = ((np.log(frame["price"]) - self.t_mean) / self.t_std).to_numpy(np.float32)
        return TensorDataset(torch.tensor(cat), torch.tensor(num), torch.tensor(y))


class PriceNet(nn.Module):
    def __init__(self, cfg, sizes):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(n, cfg.emb) for n in sizes])
        width = cfg.emb * len(sizes) + len(cfg.numeric)
        self.body = nn.Sequential(nn.Linear(width, cfg.hidden), nn.SiLU(),
                                  nn.Linear(cfg.hidden, cfg.hidden), nn.SiLU(), nn.Linear(cfg.hidden, 1))

    def forward(self, cat, num):
        parts = [emb(cat[:, i]) for i, emb in enumerate(self.embeddings)]
        return self.body(torch.cat(parts + [num], 1)).squeeze(1)


@torch.no_grad()
def r2_score(model, loader):
    model.eval()
    pred = torch.cat([model(c, n) for c, n, _ in loader])
    true = torch.cat([y for _, _, y in loader])
    return (1 - ((pred - true) ** 2).sum() / ((true - true.mean()) ** 2).sum()).item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    table = make_table(cfg)
    train_frame = table[table["year"] < cfg.last_year].reset_index(drop=True)
    val_frame = table[table["year"] == cfg.last_year].reset_index(drop=True)
    prep = Preprocessor(cfg, train_frame)
    train = DataLoader(prep(train_frame), cfg.batch_size, shuffle=True)
    val = DataLoader(prep(val_frame), 500)

    model = PriceNet(cfg, [len(prep.levels[c]) for c in cfg.categorical])
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for cat, num, y in train:
            loss = nn.functional.mse_loss(model(cat, num), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        print(f"epoch {epoch:2d} loss {total / len(train):.4f} val r2 {r2_score(model, val):.4f}")
    print(f"final val r2 {r2_score(model, val):.4f}")


if __name__ == "__main__":
    main()
