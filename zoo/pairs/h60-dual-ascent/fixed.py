"""Heteroscedastic gauge model with a coverage constraint: weights go down, a multiplier goes up."""
import argparse
import math

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)


def gauge_data(n, rng):
    load = rng.uniform(-2, 2, n)
    heat = rng.uniform(0, 1, n)
    batch = rng.integers(0, 3, n)
    mean = 0.3 * np.sin(2 * load) + 0.1 * load * heat
    scale = 0.01 + 0.03 * heat
    y = mean + scale * rng.standard_t(5, n)
    x = np.column_stack([load, heat * 2 - 1, np.eye(3)[batch]])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class Gauge(nn.Module):
    def __init__(self, inputs=5, width=48):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.spread = nn.Sequential(nn.Linear(inputs, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        mu = self.mean(x).squeeze(-1)
        log_s = self.spread(x).squeeze(-1).clamp(-6, 2)
        return mu, log_s


class Multiplier(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.tensor(-2.0))

    def forward(self):
        return nn.functional.softplus(self.raw)


def negative_log_likelihood(mu, log_s, y):
    return (log_s + 0.5 * ((y - mu) * torch.exp(-log_s)).pow(2)).mean() + 0.5 * math.log(2 * math.pi)


def soft_coverage(mu, log_s, y, z, sharp=8.0):
    margin = z - (y - mu).abs() * torch.exp(-log_s)
    return torch.sigmoid(sharp * margin).mean()


@torch.no_grad()
def evaluate(model, x, y, z):
    model.eval()
    mu, log_s = model(x)
    inside = ((y - mu).abs() < z * log_s.exp()).float().mean().item()
    r2 = 1 - ((y - mu).pow(2).sum() / (y - y.mean()).pow(2).sum()).item()
    return {"nll": negative_log_likelihood(mu, log_s, y).item(), "cover": inside, "r2": r2}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--warm", type=int, default=10)
    ap.add_argument("--cover", type=float, default=0.97)
    ap.add_argument("--z", type=float, default=2.0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    x, y = gauge_data(5000, rng)
    xt, yt = gauge_data(3000, rng)

    model, lam = Gauge(), Multiplier()
    down = torch.optim.Adam(model.parameters(), lr=2e-3)
    up = torch.optim.SGD(lam.parameters(), lr=0.5, maximize=True)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(down, args.epochs, eta_min=1e-4)
    for p in model.spread.parameters():
        p.requires_grad_(False)

    for epoch in range(args.epochs):
        if epoch == args.warm:
            for p in model.spread.parameters():
                p.requires_grad_(True)
        model.train()
        total, count = 0.0, 0
        for idx in torch.randperm(len(x)).split(100):
            mu, log_s = model(x[idx])
            if epoch < args.warm:
                loss = nn.functional.mse_loss(mu, y[idx])
                down.zero_grad()
                loss.backward()
                down.step()
            else:
                shortfall = args.cover - soft_coverage(mu, log_s, y[idx], args.z)
                loss = negative_log_likelihood(mu, log_s, y[idx]) + lam() * shortfall
                down.zero_grad()
                up.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 2.0)
                down.step()
                up.step()
            total, count = total + loss.item(), count + 1
        decay.step()
        if epoch % 5 == 4:
            m = evaluate(model, xt, yt, args.z)
            print(f"epoch {epoch + 1:3d} loss {total / count:+.4f} multiplier {lam().item():.3f} "
                  f"test nll {m['nll']:+.4f} cover {m['cover']:.4f} r2 {m['r2']:.4f}")
    m = evaluate(model, xt, yt, args.z)
    print(f"final nll {m['nll']:+.4f} cover {m['cover']:.4f} (wanted {args.cover}) r2 {m['r2']:.4f}")


if __name__ == "__main__":
    main()
