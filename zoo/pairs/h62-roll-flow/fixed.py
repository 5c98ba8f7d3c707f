"""Density model of a folded process sheet (two moons times a swiss roll) with affine couplings."""
import argparse
import math

import numpy as np
import torch
from sklearn.datasets import make_moons, make_swiss_roll
from sklearn.model_selection import train_test_split
from torch import nn


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    def forward(self, x):
        if not self.ready:
            with torch.no_grad():
                self.shift.copy_(-x.mean(0))
                self.log_scale.copy_(-torch.log(x.std(0) + 1e-3))
                self.ready.fill_(True)
        return (x + self.shift) * self.log_scale.exp(), self.log_scale.sum().expand(len(x))


class Coupling(nn.Module):
    def __init__(self, dim, hidden, flip):
        super().__init__()
        mask = (torch.arange(dim) % 2 == int(flip)).float()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.SiLU(),
                                 nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 2 * dim))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        s, t = self.net(x * self.mask).chunk(2, dim=1)
        s = 1.5 * torch.tanh(s / 1.5) * (1 - self.mask)
        t = t * (1 - self.mask)
        return x * s.exp() + t, s.sum(1)


class Flow(nn.Module):
    def __init__(self, dim, hidden=64, blocks=8):
        super().__init__()
        parts = []
        for i in range(blocks):
            parts += [ActNorm(dim), Coupling(dim, hidden, i % 2)]
        self.parts = nn.ModuleList(parts)

    def log_prob(self, x):
        total = x.new_zeros(len(x))
        for part in self.parts:
            x, ld = part(x)
            total = total + ld
        base = -0.5 * (x ** 2).sum(1) - 0.5 * x.shape[1] * math.log(2 * math.pi)
        return base + total


def sample_process(n, seed):
    moons, _ = make_moons(n, noise=0.05, random_state=seed)
    roll, along = make_swiss_roll(n, noise=0.25, random_state=seed + 1)
    rng = np.random.default_rng(seed)
    ratio = np.sin(along) + 0.3 * moons[:, 0] + 0.1 * rng.standard_normal(n)
    return np.column_stack([moons, roll, ratio])


def gaussian_baseline(train, test):
    cov = np.cov(train.T) + 1e-4 * np.eye(train.shape[1])
    dist = torch.distributions.MultivariateNormal(
        torch.tensor(train.mean(0)), torch.tensor(cov))
    return dist.log_prob(torch.tensor(test)).mean().item()


def diagonal_baseline(train, test):
    dist = torch.distributions.Normal(torch.tensor(train.mean(0)), torch.tensor(train.std(0)))
    return dist.log_prob(torch.tensor(test)).sum(1).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--iters", type=int, default=2400)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    x = sample_process(6000, args.seed)
    train, rest = train_test_split(x, test_size=0.35, random_state=args.seed)
    val, test = train_test_split(rest, test_size=0.6, random_state=args.seed)
    mean, std = train.mean(0), train.std(0)
    train, val, test = [((a - mean) / std).astype(np.float32) for a in (train, val, test)]
    print("diagonal gaussian nll %.3f" % -diagonal_baseline(train, test))
    print("full gaussian nll     %.3f" % -gaussian_baseline(train.astype(np.float64), test.astype(np.float64)))

    xt, xv, xs = map(torch.from_numpy, (train, val, test))
    flow = Flow(x.shape[1])
    opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
    best, best_state, patience = float("inf"), None, 0
    for it in range(1, args.iters + 1):
        batch = xt[torch.randint(len(xt), (256,))]
        loss = -flow.log_prob(batch).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 20.0)
        opt.step()
        if it % 100 == 0:
            with torch.no_grad():
                v = -flow.log_prob(xv).mean().item()
            if v < best:
                best, patience = v, 0
                best_state = {k: t.clone() for k, t in flow.state_dict().items()}
            else:
                patience += 1
            if it % 500 == 0:
                print(f"iter {it} train nll {loss.item():.3f} val nll {v:.3f}")
            if patience >= 8:
                print("stopping at", it)
                break
    flow.load_state_dict(best_state)
    with torch.no_grad():
        print(f"test nll {-flow.log_prob(xs).mean().item():.4f}")


if __name__ == "__main__":
    main()
