"""Unsupervised domain adaptation (DANN): sensor site A -> site B. Target labels are used for scoring only."""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from grl import grad_reverse


def site(n, shifted, seed):
    """Three machine states; 6 channels behave alike at both sites, 4 depend on the installation."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    means = np.random.default_rng(77).normal(0, 1.1, (3, 10))
    X = means[y] + rng.normal(0, 1, (n, 10))
    if shifted:
        X[:, 6:] = rng.normal(1.5, 1.5, (n, 4)) + 1.2 * means[(y + 1) % 3, 6:]
    return torch.tensor(X, dtype=torch.float32), torch.tensor(y)


class DANN(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(10, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.label = nn.Linear(h, 3)
        self.domain = nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 1))

    def forward(self, x, lam):
        f = self.features(x)
        return self.label(f), self.domain(grad_reverse(f, lam)).squeeze(1)


def run(adapt, args):
    torch.manual_seed(args.seed)
    Xs, ys = site(2000, False, 0)
    Xt, _ = site(2000, True, 1)
    Xte, yte = site(1000, True, 2)
    model = DANN()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    half = 64
    is_target = torch.cat([torch.zeros(half), torch.ones(half)])
    for step in range(1, args.steps + 1):
        p = step / args.steps
        lam = args.lam * (2 / (1 + math.exp(-10 * p)) - 1) if adapt else 0.0
        i, j = torch.randint(len(Xs), (half,)), torch.randint(len(Xt), (half,))
        model.train()
        logits, dom = model(torch.cat([Xs[i], Xt[j]]), lam)
        cls_loss = F.cross_entropy(logits[:half], ys[i])
        dom_loss = F.binary_cross_entropy_with_logits(dom, is_target)
        loss = cls_loss + dom_loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % (args.steps // 5) == 0:
            model.eval()
            with torch.no_grad():
                acc = (model(Xte, 0.0)[0].argmax(1) == yte).float().mean().item()
                dacc = ((dom > 0).float() == is_target).float().mean().item()
            print(f"  step {step} cls {cls_loss.item():.3f} dom {dom_loss.item():.3f} dom acc {dacc:.2f} target acc {acc:.3f}")
    return acc


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=1500)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--lam", type=float, default=0.7)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    print("source only")
    a = run(False, args)
    print("adversarial")
    b = run(True, args)
    print(f"target accuracy: source only {a:.4f}, DANN {b:.4f}")
