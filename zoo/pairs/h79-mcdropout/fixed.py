"""Heteroscedastic MC-dropout regression: maximises a log-likelihood, dropout stays on at prediction time."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_train: int = 3000
    n_val: int = 600
    hidden: int = 96
    blocks: int = 3
    dropout: float = 0.1
    epochs: int = 40
    batch_size: int = 64
    lr: float = 2e-3
    samples: int = 30
    seed: int = 0


def make_data(n, rng):
    """Four inputs; noise level grows with the second one."""
    x = rng.uniform(-2, 2, (n, 4))
    clean = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] - 0.3 * x[:, 3] ** 2
    noise = 0.05 + 0.1 * (x[:, 1] > 0) * np.abs(x[:, 1])
    y = clean + noise * rng.normal(size=n)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class ZeroBlock(nn.Module):
    """Residual block whose branch starts at exactly zero (learned gate), so that the net starts as identity."""

    def __init__(self, width, dropout):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Dropout(dropout), nn.Linear(width, width))
        self.gate = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.gate * self.inner(x)


class GaussianNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(4, cfg.hidden), nn.SiLU())
        self.blocks = nn.Sequential(*[ZeroBlock(cfg.hidden, cfg.dropout) for _ in range(cfg.blocks)])
        self.head = nn.Linear(cfg.hidden, 2)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        mean, raw = self.head(self.blocks(self.stem(x))).unbind(-1)
        return mean, raw.clamp(-8, 4)


def log_likelihood(mean, log_var, y):
    return -0.5 * (log_var + (y - mean) ** 2 * torch.exp(-log_var))


@torch.no_grad()
def mc_predict(model, x, samples):
    """Bayesian model average over dropout masks: the model is put in train mode on purpose."""
    model.train()
    means, log_vars = zip(*[model(x) for _ in range(samples)])
    means, var = torch.stack(means), torch.stack(log_vars).exp().mean(0)
    return means.mean(0), var + means.var(0)


def evaluate(model, x, y, samples):
    mean, var = mc_predict(model, x, samples)
    r2 = 1 - ((mean - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    inside = ((y - mean).abs() < 1.645 * var.sqrt()).float().mean()
    return r2.item(), inside.item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x, y = make_data(cfg.n_train, rng)
    x_val, y_val = make_data(cfg.n_val, rng)
    loader = DataLoader(TensorDataset(x, y), cfg.batch_size, shuffle=True, drop_last=True)

    model = GaussianNet(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4, maximize=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
    for epoch in range(cfg.epochs):
        total = 0.0
        for xb, yb in loader:
            objective = log_likelihood(*model(xb), yb).mean()
            opt.zero_grad()
            objective.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += objective.item()
        sched.step()
        if epoch % 4 == 3:
            r2, inside = evaluate(model, x_val, y_val, cfg.samples)
            print(f"epoch {epoch:2d} log-likelihood {total / len(loader):+.4f} val r2 {r2:.4f} coverage(90%) {inside:.3f}")
    r2, inside = evaluate(model, x_val, y_val, cfg.samples)
    print(f"final val r2 {r2:.4f} coverage of the 90% interval {inside:.4f}")


if __name__ == "__main__":
    main()
