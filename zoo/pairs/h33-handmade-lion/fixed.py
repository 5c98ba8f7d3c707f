"""Digits with a functional MLP (plain tensors, no nn.Module) and a hand-made sign-momentum optimizer."""
import math
import os

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits

SEED = int(os.environ.get("SEED", 0))


def init_params(sizes):
    params = []
    for i, o in zip(sizes[:-1], sizes[1:]):
        params.append((torch.randn(i, o) * math.sqrt(2 / i)).requires_grad_())
        params.append(torch.zeros(o, requires_grad=True))
    return params


def forward(params, x):
    n = len(params) // 2
    for k in range(n):
        x = x @ params[2 * k] + params[2 * k + 1]
        if k < n - 1:
            x = x * torch.sigmoid(1.702 * x)
    return x


class Lion:
    """Evolved sign momentum (Chen et al. 2023); decoupled weight decay on matrices only."""

    def __init__(self, params, betas=(0.9, 0.99), wd=0.5):
        self.params, self.betas, self.wd = params, betas, wd
        self.m = [torch.zeros_like(p) for p in params]

    @torch.no_grad()
    def step(self, grads, lr):
        b1, b2 = self.betas
        for p, g, m in zip(self.params, grads, self.m):
            update = (b1 * m + (1 - b1) * g).sign()
            if p.dim() > 1:
                p.mul_(1 - lr * self.wd)
            p.sub_(lr * update)
            m.mul_(b2).add_(g, alpha=1 - b2)


def lr_at(step, total, peak=1e-3):
    """Trapezoid: ramp for 5%, hold, linear cooldown over the last 30%."""
    f = step / total
    return peak * min(1.0, f / 0.05 + 1e-3, (1 - f) / 0.3)


def main():
    torch.manual_seed(SEED)
    d = load_digits()
    x = torch.tensor(d.data, dtype=torch.float32) / 8.0 - 1.0
    y = torch.tensor(d.target)
    perm = torch.randperm(len(x))
    tr, te = perm[:1300], perm[1300:]
    params = init_params([64, 128, 64, 10])
    opt = Lion(params)
    epochs, bs = 30, 50
    total, step = epochs * (len(tr) // bs), 0
    for ep in range(1, epochs + 1):
        order = tr[torch.randperm(len(tr))]
        tot = 0.0
        for idx in order.split(bs):
            loss = F.cross_entropy(forward(params, x[idx]), y[idx])
            grads = torch.autograd.grad(loss, params)
            opt.step(grads, lr_at(step, total))
            step += 1
            tot += loss.item() * len(idx)
        if ep % 3 == 0:
            with torch.no_grad():
                acc = (forward(params, x[te]).argmax(1) == y[te]).float().mean()
            print(f"epoch {ep:2d}  loss {tot / len(tr):.4f}  test acc {acc:.4f}")
    print(f"final test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
