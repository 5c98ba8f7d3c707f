"""Matrix factorisation with biases on synthetic explicit ratings (1-5 stars)."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--users", type=int, default=500)
    p.add_argument("--items", type=int, default=250)
    p.add_argument("--ratings", type=int, default=40000)
    p.add_argument("--rank", type=int, default=8)
    p.add_argument("--epochs", type=int, default=35)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--lr", type=float, default=7e-3)
    p.add_argument("--reg", type=float, default=0.02)
    p.add_argument("--seed", type=int, default=5)
    return p.parse_args()


def simulate(args):
    """Taste vectors for users and items plus popularity and strictness offsets."""
    rng = np.random.default_rng(args.seed)
    k = 3
    u, v = rng.normal(size=(args.users, k)), rng.normal(size=(args.items, k))
    bu, bv = 0.3 * rng.normal(size=args.users), 0.4 * rng.normal(size=args.items)
    flat = rng.choice(args.users * args.items, args.ratings, replace=False)
    ui, vi = flat // args.items, flat % args.items
    score = 3.2 + bu[ui] + bv[vi] + 0.75 * (u[ui] * v[vi]).sum(1) + 0.25 * rng.normal(size=len(flat))
    return ui, vi, np.clip(score, 1, 5).astype(np.float32)


class Ratings(Dataset):
    def __init__(self, ui, vi, r):
        self.ui, self.vi = torch.as_tensor(ui), torch.as_tensor(vi)
        self.r = torch.as_tensor(r)

    def __len__(self):
        return len(self.r)

    def __getitem__(self, i):
        return self.ui[i], self.vi[i], self.r[i]

    def __getitems__(self, idx):
        idx = torch.as_tensor(idx)
        return self.ui[idx], self.vi[idx], self.r[idx]


class FactorModel(nn.Module):
    def __init__(self, n_users, n_items, rank, mean):
        super().__init__()
        self.user = nn.Embedding(n_users, rank)
        self.item = nn.Embedding(n_items, rank)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.mean = nn.Parameter(torch.tensor(float(mean)))
        self.reset_parameters()

    def reset_parameters(self):
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.1)
        for emb in (self.user_bias, self.item_bias):
            nn.init.zeros_(emb.weight)

    def forward(self, ui, vi):
        dot = (self.user(ui) * self.item(vi)).sum(-1)
        return self.mean + self.user_bias(ui).squeeze(-1) + self.item_bias(vi).squeeze(-1) + dot

    def penalty(self, ui, vi):
        return (self.user(ui).pow(2).sum(-1) + self.item(vi).pow(2).sum(-1)).mean()


@torch.no_grad()
def rmse(model, loader):
    model.eval()
    se, n = 0.0, 0
    for ui, vi, r in loader:
        pred = model(ui, vi).clamp(1, 5)
        se += ((pred - r) ** 2).sum().item()
        n += len(r)
    return (se / n) ** 0.5


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    ui, vi, r = simulate(args)
    cut = int(0.85 * len(r))
    keep = lambda batch: batch
    train = DataLoader(Ratings(ui[:cut], vi[:cut], r[:cut]), args.batch_size, shuffle=True, collate_fn=keep)
    val = DataLoader(Ratings(ui[cut:], vi[cut:], r[cut:]), 2000, collate_fn=keep)

    model = FactorModel(args.users, args.items, args.rank, r[:cut].mean())
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.StepLR(opt, 12, 0.3)
    print(f"baseline (constant) rmse {np.std(r[cut:]):.4f}")
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for u, v, t in train:
            loss = (model(u, v) - t).pow(2).mean() + args.reg * model.penalty(u, v)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        print(f"epoch {epoch:2d} loss {total / len(train):.4f} val rmse {rmse(model, val):.4f}")
    print(f"final val rmse {rmse(model, val):.4f}")


if __name__ == "__main__":
    main()
