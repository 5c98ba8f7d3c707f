# Probabilistic regression: predicts a mean and a variance for every sample.
import os
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n: int = 6000
    d: int = 8
    hidden: int = 64
    epochs: int = 40
    batch: int = 128
    lr: float = 2e-3
    seed: int = int(os.environ.get("SEED", 0))


def make_data(cfg):
    """Friedman-like function; the measurement noise depends on the sensor columns 5 and 6."""
    r = np.random.default_rng(cfg.seed)
    x = r.uniform(0, 1, (cfg.n, cfg.d))
    f = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    sigma = np.exp(-2.0 + 3.0 * x[:, 5] + 1.2 * x[:, 6])
    y = f + sigma * r.standard_normal(cfg.n)
    return x.astype(np.float32), y.astype(np.float32)


class MeanVarianceNet(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(d, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
        )
        self.mean = nn.Linear(hidden, 1)
        self.log_var = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x)
        mu = self.mean(h).squeeze(-1)
        log_var = self.log_var(h).squeeze(-1).clamp(-8.0, 6.0)
        return mu, log_var


def gaussian_nll(mu, log_var, y):
    sq = (y - mu) ** 2
    return 0.5 * (log_var + sq * torch.exp(-log_var)).mean()


def fit(model, loader, cfg):
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
    for epoch in range(1, cfg.epochs + 1):
        running = []
        for xb, yb in loader:
            mu, log_var = model(xb)
            loss = gaussian_nll(mu, log_var, yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            running.append(loss.item())
        sched.step()
        if epoch % 4 == 0 or epoch == 1:
            print(f"epoch {epoch:3d}  nll {np.mean(running):.4f}")


@torch.no_grad()
def evaluate(model, x, y, y_std):
    mu, log_var = model(x)
    mu, log_var = mu.reshape(-1), log_var.reshape(-1)
    sigma = torch.exp(0.5 * log_var)
    z = (y - mu) / sigma
    rmse = ((y - mu) ** 2).mean().sqrt() * y_std
    nll = (0.5 * z ** 2 + torch.log(sigma) + 0.5 * np.log(2 * np.pi)).mean() + np.log(y_std)
    cover = (z.abs() < 1.645).float().mean()
    return rmse.item(), float(nll), cover.item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    x, y = make_data(cfg)
    n_train = int(0.7 * cfg.n)
    mx, sx = x[:n_train].mean(0), x[:n_train].std(0)
    my, sy = float(y[:n_train].mean()), float(y[:n_train].std())
    X = torch.tensor((x - mx) / sx)
    Y = torch.tensor((y - my) / sy)

    train = TensorDataset(X[:n_train], Y[:n_train])
    loader = DataLoader(train, batch_size=cfg.batch, shuffle=True, drop_last=True)
    model = MeanVarianceNet(cfg.d, cfg.hidden)
    fit(model, loader, cfg)

    rmse, nll, cover = evaluate(model, X[n_train:], Y[n_train:], sy)
    print(f"test rmse {rmse:.4f}  90% interval coverage {cover:.3f}")
    print(f"final test nll {nll:.4f}")


if __name__ == "__main__":
    main()
