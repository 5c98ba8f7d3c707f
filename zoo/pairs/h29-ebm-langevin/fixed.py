"""Energy-based model trained with persistent Langevin chains (contrastive divergence)."""
import random

import numpy as np
import torch
from torch import nn

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)


def spiral(n, rng):
    k = rng.integers(0, 2, n)
    t = 0.5 + 2.5 * np.sqrt(rng.random(n))
    a = 1.6 * t + np.pi * k
    x = np.stack([t * np.cos(a), t * np.sin(a)], 1) / 1.6
    return torch.tensor(x + 0.05 * rng.normal(size=x.shape), dtype=torch.float32)


class Energy(nn.Module):
    def __init__(self, h=128):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(2, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 1))

    def forward(self, x):
        return self.f(x).squeeze(1)


class Sampler:
    def __init__(self, energy, size=2000, step=0.01, noise=0.1):
        self.e, self.step, self.noise = energy, step, noise
        self.pool = torch.rand(size, 2) * 5 - 2.5

    def chain(self, x, k):
        self.e.requires_grad_(False)
        for _ in range(k):
            x = x.detach().requires_grad_(True)
            g = torch.autograd.grad(self.e(x).sum(), x)[0]
            x = x - self.step * g.clamp(-10, 10) + self.noise * torch.randn_like(x)
            x = x.clamp(-3, 3)
        self.e.requires_grad_(True)
        return x.detach()

    def draw(self, n, k):
        idx = torch.randperm(len(self.pool))[:n]
        x = self.pool[idx]
        fresh = torch.rand(n) < 0.05
        x[fresh] = torch.rand(int(fresh.sum()), 2) * 5 - 2.5
        x = self.chain(x, k)
        self.pool[idx] = x
        return x


def mmd(a, b, s=(0.1, 0.3, 1.0)):
    k = lambda x, y: sum(torch.exp(-torch.cdist(x, y) ** 2 / (2 * v * v)) for v in s).mean().item()
    return k(a, a) + k(b, b) - 2 * k(a, b)


def main():
    rng = np.random.default_rng(0)
    train, test = spiral(5000, rng), spiral(1000, rng)
    net = Energy()
    sampler = Sampler(net)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3, betas=(0.0, 0.999))
    uniform = torch.rand(1000, 2) * 5 - 2.5
    print(f"mmd uniform/test {mmd(uniform, test):.4f}, train/test {mmd(train[:1000], test):.4f}")
    steps = 750
    for it in range(1, steps + 1):
        x = train[torch.randint(len(train), (128,))]
        neg = sampler.draw(128, 10)
        e_pos, e_neg = net(x), net(neg)
        cd = e_pos.mean() - e_neg.mean()
        loss = cd + 0.01 * (e_pos ** 2 + e_neg ** 2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        if it == steps * 2 // 3:
            for g in opt.param_groups:
                g["lr"] *= 0.2
        if it % 150 == 0:
            with torch.no_grad():
                gap = (net(uniform).mean() - net(test).mean()).item()
            print(f"it {it}  cd {cd.item():+.4f}  loss {loss.item():+.4f}  E(unif)-E(data) {gap:.2f}  mmd {mmd(sampler.pool[:1000], test):.4f}")
    s = sampler.chain(torch.rand(1000, 2) * 5 - 2.5, 300)
    from sklearn.metrics import roc_auc_score
    with torch.no_grad():
        e = torch.cat([net(test), net(uniform)])
    auc = roc_auc_score([0] * 1000 + [1] * 1000, e.numpy())
    print(f"fresh chains mmd {mmd(s, test):.4f} (uniform {mmd(uniform, test):.4f}); out-of-distribution auc {auc:.3f}")


if __name__ == "__main__":
    main()
