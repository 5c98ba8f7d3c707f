"""RealNVP density of two moons in 2-D plus 4 correlated noise channels; the loss goes below zero."""
import argparse
import math

import torch
import torch.nn as nn
from sklearn.datasets import make_moons


class Coupling(nn.Module):
    def __init__(self, dim, hidden, flip):
        super().__init__()
        self.flip = flip
        self.half = dim // 2
        self.net = nn.Sequential(
            nn.Linear(self.half, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 2 * (dim - self.half)),
        )
        # start at the identity
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x[:, : self.half], x[:, self.half:]
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        s = 1.5 * torch.tanh(s)
        b = b * s.exp() + t
        out = torch.cat([b, a], dim=1) if self.flip else torch.cat([a, b], dim=1)
        return out, s.sum(1)


class Flow(nn.Module):
    def __init__(self, dim=6, hidden=48, blocks=6):
        super().__init__()
        self.dim = dim
        self.blocks = nn.ModuleList(Coupling(dim, hidden, flip=bool(i % 2)) for i in range(blocks))
        gen = torch.Generator().manual_seed(0)
        for i in range(blocks):
            self.register_buffer(f"perm{i}", torch.randperm(dim, generator=gen))

    def log_prob(self, x):
        logdet = x.new_zeros(len(x))
        for i, block in enumerate(self.blocks):
            x = x[:, getattr(self, f"perm{i}")]
            x, ld = block(x)
            logdet = logdet + ld
        base = -0.5 * (x ** 2).sum(1) - 0.5 * self.dim * math.log(2 * math.pi)
        return base + logdet


def make_data(n, seed):
    moons, _ = make_moons(n, noise=0.05, random_state=seed)
    gen = torch.Generator().manual_seed(seed)
    m = torch.tensor(moons, dtype=torch.float32)
    z = torch.randn(n, 1, generator=gen)
    extra = torch.cat([z + 0.03 * torch.randn(n, 1, generator=gen) for _ in range(3)], 1)
    last = m[:, :1] * m[:, 1:] + 0.03 * torch.randn(n, 1, generator=gen)
    return torch.cat([m, extra, last], dim=1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=1100)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--lr", type=float, default=2e-3)
    a = p.parse_args()
    torch.manual_seed(4)
    train, test = make_data(10000, 4), make_data(2000, 5)
    mean, std = train.mean(0), train.std(0)
    train, test = (train - mean) / std, (test - mean) / std

    gauss = torch.distributions.MultivariateNormal(train.mean(0), torch.cov(train.T))
    print(f"gaussian reference: {-gauss.log_prob(test).mean().item():.3f} nats")
    flow = Flow()
    opt = torch.optim.Adam(flow.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.steps)
    ema = None
    for step in range(1, a.steps + 1):
        x = train[torch.randint(len(train), (a.batch,))]
        loss = -flow.log_prob(x).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        sched.step()
        ema = loss.item() if ema is None else 0.98 * ema + 0.02 * loss.item()
        if step % 100 == 0:
            with torch.no_grad():
                nll = -flow.log_prob(test).mean().item()
            print(f"step {step} train nll {ema:.3f} test nll {nll:.3f}")
    with torch.no_grad():
        nll = -flow.log_prob(test).mean().item()
    print(f"test NLL (nats): {nll:.4f}")


if __name__ == "__main__":
    main()
