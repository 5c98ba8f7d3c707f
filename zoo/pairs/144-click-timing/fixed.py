"""Tell scripted clients from people by the rhythm of their requests."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

KINDS = ("human", "cron", "scraper", "retry")


def rhythm(kind, n, rng):
    if kind == "human":
        gaps = rng.lognormal(2.6, 0.9, n)
    elif kind == "cron":
        gaps = rng.normal(20, 1.5, n)
    elif kind == "scraper":
        gaps = rng.uniform(8, 32, n)
    else:
        gaps = np.where(np.arange(n) % 2 == 0, 6.0, 34.0) + rng.normal(0, 2.5, n)
    return np.maximum(gaps, 1.0)


class Requests(Dataset):
    def __init__(self, n, rng, length=24):
        self.times = np.zeros((n, length), dtype=np.int64)
        self.sizes = np.zeros((n, length), dtype=np.float32)
        self.kind = rng.integers(0, len(KINDS), n)
        for i, k in enumerate(self.kind):
            start = rng.integers(1_690_000_000, 1_720_000_000)
            gaps = rhythm(KINDS[k], length - 1, rng)
            self.times[i, 0] = start
            self.times[i, 1:] = start + np.round(np.cumsum(gaps)).astype(np.int64)
            mean = 7.0 if k in (0, 3) else 7.4
            self.sizes[i] = rng.lognormal(mean, 1.0, length)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, i):
        return self.times[i], self.sizes[i], int(self.kind[i])


class GapEncoder(nn.Module):
    """Log gap between consecutive requests, projected to the model width."""

    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(1, dim)

    def forward(self, times):
        gaps = torch.diff(times, dim=1).float()
        return self.proj(torch.log1p(gaps.clamp(min=0)).unsqueeze(-1) - 2.5)


class RhythmNet(nn.Module):
    def __init__(self, dim=32, classes=len(KINDS)):
        super().__init__()
        self.gap = GapEncoder(dim)
        self.size = nn.Linear(1, dim)
        self.mix = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(2 * dim), nn.Linear(2 * dim, classes))

    def forward(self, times, sizes):
        s = (torch.log(sizes[:, 1:]).unsqueeze(-1) - 7.2)
        h = self.mix(self.gap(times) + self.size(s))
        seq, last = self.gru(h)
        return self.head(torch.cat([seq.mean(1), last[-1]], dim=1))


def evaluate(model, loader):
    model.eval()
    hit = np.zeros(len(KINDS))
    tot = np.zeros(len(KINDS))
    with torch.no_grad():
        for times, sizes, kind in loader:
            guess = model(times, sizes).argmax(1)
            for k in range(len(KINDS)):
                sel = kind == k
                hit[k] += (guess[sel] == k).sum().item()
                tot[k] += sel.sum().item()
    return hit.sum() / tot.sum(), hit / tot


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=7)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    train = DataLoader(Requests(4000, rng), batch_size=64, shuffle=True)
    test = DataLoader(Requests(1000, rng), batch_size=250)

    model = RhythmNet()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * len(train))
    criterion = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        model.train()
        losses = []
        for times, sizes, kind in train:
            opt.zero_grad()
            loss = criterion(model(times, sizes), kind)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            losses.append(loss.item())
        acc, _ = evaluate(model, test)
        print(f"epoch {epoch} loss {np.mean(losses):.4f} test acc {acc:.4f}")
    acc, per = evaluate(model, test)
    print("per class", dict(zip(KINDS, np.round(per, 3).tolist())))
    print(f"final test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
