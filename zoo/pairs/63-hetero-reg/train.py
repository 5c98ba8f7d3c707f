"""Predict the yield of a process together with an error bar (mean/variance network)."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    n_train: int = 4000
    n_test: int = 1000
    hidden: int = 64
    lr: float = 2e-3
    batch: int = 64
    epochs: int = 30
    weight_prior: float = 1e-5
    seed: int = 5


def make_data(n, rng):
    x = rng.uniform(size=(n, 8))
    f = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    sigma = 0.3 + 2.5 * x[:, 5] ** 2
    y = f + sigma * rng.standard_normal(n)
    return x.astype("float32"), y.astype("float32")[:, None]


class MeanVarianceNet(nn.Module):
    def __init__(self, d_in, hidden):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.mu = nn.Linear(hidden, 1)
        self.log_var = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mu(h), self.log_var(h).clamp(-7, 7)


class Regressor:
    def __init__(self, cfg, d_in):
        self.cfg = cfg
        self.net = MeanVarianceNet(d_in, cfg.hidden)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.ExponentialLR(self.opt, 0.93)

    def objective(self, xb, yb):
        mu, log_var = self.net(xb)
        misfit = 0.5 * (yb - mu) ** 2 * torch.exp(-log_var)
        volume = 0.5 * log_var
        prior = sum((p ** 2).sum() for p in self.net.parameters())
        return misfit.mean() - volume.mean() + self.cfg.weight_prior * prior

    def fit(self, x, y, x_test, y_test):
        for epoch in range(self.cfg.epochs):
            total = 0.0
            for idx in torch.randperm(len(x)).split(self.cfg.batch):
                loss = self.objective(x[idx], y[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() * len(idx)
            self.sched.step()
            if epoch % 3 == 2:
                m = self.score(x_test, y_test)
                print(f"epoch {epoch + 1:3d}  objective {total / len(x):8.3f}  " + "  ".join(f"{k} {v:.3f}" for k, v in m.items()))
        return self

    @torch.no_grad()
    def score(self, x, y):
        mu, log_var = self.net(x)
        half = 1.645 * torch.exp(0.5 * log_var)
        return {
            "rmse": ((mu - y) ** 2).mean().sqrt().item(),
            "coverage90": ((y - mu).abs() <= half).float().mean().item(),
            "width90": (2 * half).mean().item(),
        }


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x, y = make_data(cfg.n_train, rng)
    x_test, y_test = make_data(cfg.n_test, rng)
    xm, xs, ym, ys = x.mean(0), x.std(0), y.mean(), y.std()
    to = lambda a: torch.from_numpy(a)
    model = Regressor(cfg, x.shape[1])
    model.fit(to((x - xm) / xs), to((y - ym) / ys), to((x_test - xm) / xs), to((y_test - ym) / ys))


if __name__ == "__main__":
    main()
