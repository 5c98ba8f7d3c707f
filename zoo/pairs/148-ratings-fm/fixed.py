"""Factorisation machine for explicit ratings (user, item, weekday)."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    users: int = 300
    items: int = 200
    days: int = 7
    rank: int = 8
    ratings: int = 26000
    batch: int = 128
    epochs: int = 15
    lr: float = 5e-3
    weight_decay: float = 1e-4
    seed: int = 11


def make_ratings(cfg):
    g = np.random.default_rng(cfg.seed)
    p = g.normal(0, 1, (cfg.users, 4))
    q = g.normal(0, 1, (cfg.items, 4))
    u = g.integers(0, cfg.users, cfg.ratings)
    i = g.integers(0, cfg.items, cfg.ratings)
    d = g.integers(0, cfg.days, cfg.ratings)
    bu, bi = g.normal(0, .3, cfg.users), g.normal(0, .4, cfg.items)
    r = 3.3 + bu[u] + bi[i] + 0.1 * (d >= 5) + 0.5 * (p[u] * q[i]).sum(1) + g.normal(0, .3, cfg.ratings)
    return torch.tensor(np.stack([u, i, d], 1)), torch.tensor(r, dtype=torch.float32)


def make_tables(cardinalities, dim, std):
    tables = nn.ModuleList()
    for n in cardinalities:
        table = nn.Embedding(n, dim)
        nn.init.normal_(table.weight, std=std)
        tables.append(table)
    return tables


class FactorisationMachine(nn.Module):
    def __init__(self, cardinalities, rank, mean):
        super().__init__()
        offsets = np.concatenate([[0], np.cumsum(cardinalities)[:-1]])
        self.register_buffer("offsets", torch.tensor(offsets))
        self.register_buffer("mean", torch.tensor(float(mean)))
        self.linear = nn.Embedding(sum(cardinalities), 1)
        nn.init.zeros_(self.linear.weight)
        self.factors = make_tables(cardinalities, rank, std=0.1)

    def forward(self, fields):
        first = self.linear(fields + self.offsets).sum(dim=(1, 2))
        v = torch.stack([t(fields[:, k]) for k, t in enumerate(self.factors)], dim=1)
        second = 0.5 * (v.sum(1) ** 2 - (v ** 2).sum(1)).sum(1)
        return self.mean + first + second


def rmse(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x) - y).pow(2).mean().sqrt().item()


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    x, y = make_ratings(cfg)
    n = int(0.85 * len(x))
    loader = DataLoader(TensorDataset(x[:n], y[:n]), batch_size=cfg.batch, shuffle=True)
    model = FactorisationMachine([cfg.users, cfg.items, cfg.days], cfg.rank, y[:n].mean())
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    loss_fn = nn.MSELoss()
    print("constant predictor rmse: %.3f" % y[n:].std().item())
    for epoch in range(cfg.epochs):
        model.train()
        for fields, rating in loader:
            opt.zero_grad()
            loss = loss_fn(model(fields), rating)
            loss.backward()
            opt.step()
        print(f"epoch {epoch:2d} | train rmse {rmse(model, x[:n], y[:n]):.3f}"
              f" | test rmse {rmse(model, x[n:], y[n:]):.3f}")


main()
