"""RealNVP density estimation. Inputs are scaled to a small box, so log-densities are high and the loss is below zero."""
import math

import torch
import torch.nn as nn
from sklearn.datasets import make_moons


class Coupling(nn.Module):
    def __init__(self, flip, hidden=48):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2))
        # start at the identity
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)
        self.scale = nn.Parameter(torch.ones(1))

    def st(self, a):
        s, t = self.net(a).chunk(2, 1)
        return self.scale * torch.tanh(s), t

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.st(a)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)

    def inverse(self, z):
        a, b = z.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.st(a)
        b = (b - t) * (-s).exp()
        return torch.cat([b, a] if self.flip else [a, b], 1)


class Flow(nn.Module):
    def __init__(self, layers=6):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2 == 1) for i in range(layers))
        self.log_s = nn.Parameter(torch.zeros(2))
        self.shift = nn.Parameter(torch.zeros(2))
        self.ready = False

    def log_prob(self, x):
        if not self.ready:  # data-dependent start of the affine layer, as in Glow
            with torch.no_grad():
                self.log_s.copy_(-x.std(0).log())
                self.shift.copy_(-x.mean(0))
            self.ready = True
        z = (x + self.shift) * self.log_s.exp()
        logdet = self.log_s.sum().expand(len(x))
        for l in self.layers:
            z, ld = l(z)
            logdet = logdet + ld
        return -0.5 * (z ** 2).sum(1) - math.log(2 * math.pi) + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 2)
        for l in reversed(self.layers):
            z = l.inverse(z)
        return z * (-self.log_s).exp() - self.shift


def data(n, seed):
    return 0.1 * torch.tensor(make_moons(n, noise=0.06, random_state=seed)[0], dtype=torch.float32)


def main():
    torch.manual_seed(0)
    train, test = data(4000, 0), data(1000, 1)
    flow = Flow()
    opt = torch.optim.Adam(flow.parameters(), lr=3e-3)
    steps = 900
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    for step in range(1, steps + 1):
        x = train[torch.randint(len(train), (200,))]
        loss = -flow.log_prob(x).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        sched.step()
        if step % 150 == 0:
            with torch.no_grad():
                print(f"step {step} train nll {loss.item():.3f} test nll {-flow.log_prob(test).mean().item():.3f}")
    mvn = torch.distributions.MultivariateNormal(train.mean(0), torch.cov(train.T))
    s = flow.sample(1000)
    nearest = torch.cdist(s, test).min(1).values.median().item()
    with torch.no_grad():
        print(f"test nll {-flow.log_prob(test).mean().item():.4f}  gaussian fit {-mvn.log_prob(test).mean().item():.4f}"
              f"  median distance sample->data {nearest:.4f}")


if __name__ == "__main__":
    main()
