"""RealNVP density model on the two-moons data; sample quality measured by energy distance."""
import argparse
import math

import numpy as np
import torch
from sklearn.datasets import make_moons
from torch import nn


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--layers", type=int, default=8)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--steps", type=int, default=1500)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


class Coupling(nn.Module):
    """Affine coupling: the masked half conditions the scale and shift of the other half."""

    def __init__(self, mask, hidden):
        super().__init__()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(
            nn.Linear(2, hidden), nn.LeakyReLU(0.1),
            nn.Linear(hidden, hidden), nn.LeakyReLU(0.1),
            nn.Linear(hidden, 4),
        )
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def params(self, x):
        s, t = self.net(x * self.mask).chunk(2, dim=-1)
        return 2 * torch.tanh(s / 2) * (1 - self.mask), t * (1 - self.mask)

    def forward(self, x):
        s, t = self.params(x)
        return x * torch.exp(s) + t, s.sum(-1)

    def inverse(self, z):
        s, t = self.params(z)
        return (z - t) * torch.exp(-s)


class RealNVP(nn.Module):
    def __init__(self, n_layers, hidden):
        super().__init__()
        masks = [torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])]
        self.layers = nn.ModuleList([Coupling(masks[i % 2], hidden) for i in range(n_layers)])

    def forward(self, x):
        logdet = x.new_zeros(x.shape[0])
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        return x, logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 2)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def base_log_prob(z):
    return -0.5 * (z ** 2).sum(-1) - math.log(2 * math.pi)


def nll(model, x):
    z, logdet = model(x)
    return -(base_log_prob(z) - logdet).mean()


def energy_distance(a, b):
    cross = torch.cdist(a, b).mean()
    return (2 * cross - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.RandomState(args.seed)
    x, _ = make_moons(6000, noise=0.06, random_state=rng)
    mean, std = x[:5000].mean(0), x[:5000].std(0)
    x = torch.tensor((x - mean) / std, dtype=torch.float32)
    train, val = x[:5000], x[5000:]

    model = RealNVP(args.layers, args.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.steps)
    for step in range(1, args.steps + 1):
        idx = torch.randint(0, len(train), (args.batch,))
        loss = nll(model, train[idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        if step % 250 == 0:
            model.eval()
            ed = energy_distance(model.sample(1000), val)
            model.train()
            print(f"step {step:5d} loss {loss.item():.4f} energy distance {ed:.4f}")

    ed = energy_distance(model.sample(1000), val)
    print(f"final val energy distance {ed:.4f}")


if __name__ == "__main__":
    main()
