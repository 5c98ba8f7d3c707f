"""Deep metric learning with a multi-similarity style loss; evaluated by recall@k on unseen classes."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_classes(n_classes, per_class, d, rng, mix):
    """Classes live on a low dimensional factor; the rest is nuisance variation shared by all."""
    centers = rng.standard_normal((n_classes, 6)) * 1.5
    y = np.repeat(np.arange(n_classes), per_class)
    signal = centers[y] + 0.4 * rng.standard_normal((len(y), 6))
    nuisance = 0.9 * rng.standard_normal((len(y), d - 6))
    x = np.tanh(np.concatenate([signal, nuisance], 1) @ mix)
    order = rng.permutation(len(y))
    return torch.tensor(x[order], dtype=torch.float32), torch.tensor(y[order])


class Embedder(nn.Module):
    def __init__(self, d, emb=16, h=96):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, h), nn.LayerNorm(h), nn.ReLU(), nn.Linear(h, emb))

    def forward(self, x):
        return F.normalize(self.f(x), dim=-1)


class PKSampler:
    """P classes times K samples per batch."""

    def __init__(self, y, p, k, steps):
        self.by_class = [torch.nonzero(y == c).squeeze(1) for c in y.unique()]
        self.p, self.k, self.steps = p, k, steps

    def __iter__(self):
        for _ in range(self.steps):
            cls = torch.randperm(len(self.by_class))[:self.p]
            yield torch.cat([self.by_class[c][torch.randperm(len(self.by_class[c]))[:self.k]]
                             for c in cls.tolist()])


def pair_loss(e, y, alpha=2.0, beta=20.0, lam=0.5):
    s = e @ e.T
    same = y[:, None] == y[None, :]
    eye = torch.eye(len(y), dtype=torch.bool)
    pos = torch.where(same & ~eye, torch.exp(-alpha * (s - lam)), torch.zeros_like(s)).sum(1)
    neg = torch.where(~same, torch.exp(beta * (s - lam)), torch.zeros_like(s)).sum(1)
    return (torch.log1p(pos) / alpha + torch.log1p(neg) / beta).mean()


@torch.no_grad()
def recall_at(model, x, y, ks=(1, 4), chunk=100):
    """Leave-one-out retrieval, in chunks so that the similarity matrix stays small."""
    model.eval()
    e = model(x)
    hits = {k: 0 for k in ks}
    for start in range(0, len(x), chunk):
        sim = e[start:start + chunk] @ e.T
        rows = torch.arange(len(sim))
        sim[rows, start + rows] = -1.0
        nn_labels = y[sim.topk(max(ks), dim=1).indices]
        match = nn_labels == y[start:start + chunk, None]
        for k in ks:
            hits[k] += match[:, :k].any(1).sum().item()
    return {k: h / len(x) for k, h in hits.items()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--steps", type=int, default=100)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    d = 32
    mix = rng.standard_normal((d, d)) / np.sqrt(d)
    xtr, ytr = make_classes(80, 20, d, rng, mix)
    xte, yte = make_classes(40, 25, d, rng, mix)

    model = Embedder(d)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    sampler = PKSampler(ytr, p=16, k=5, steps=args.steps)
    for ep in range(1, args.epochs + 1):
        model.train()
        losses = []
        for idx in sampler:
            loss = pair_loss(model(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        r = recall_at(model, xte, yte)
        print(f"epoch {ep:2d}  loss {np.mean(losses):.4f}  R@1 {r[1]:.4f}  R@4 {r[4]:.4f}")
    print(f"final recall@1 on unseen classes {recall_at(model, xte, yte)[1]:.4f}")


if __name__ == "__main__":
    main()
