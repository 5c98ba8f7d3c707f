"""Segment round cells in noisy tiles with a small U-shaped network."""
import argparse
import copy

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class CellTiles(Dataset):
    def __init__(self, n, seed, size=32):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:size, :size]
        images, masks = [], []
        for _ in range(n):
            mask = np.zeros((size, size), dtype=bool)
            img = rng.normal(0, 0.45, (size, size)) + rng.uniform(-0.3, 0.3) * xx / size
            for _ in range(rng.integers(1, 4)):
                cx, cy, r = rng.uniform(4, size - 4), rng.uniform(4, size - 4), rng.uniform(2.5, 5)
                d = np.hypot(xx - cx, yy - cy)
                mask |= d < r
                img += 0.8 * (np.abs(d - r) < 1.0) + 0.3 * (d < r)
            if rng.random() < 0.5:
                img[rng.integers(0, size)] += 0.9
            images.append(img)
            masks.append(mask)
        self.x = torch.tensor(np.array(images), dtype=torch.float32).unsqueeze(1)
        self.y = torch.tensor(np.array(masks), dtype=torch.float32).unsqueeze(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def block(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1),
                         nn.BatchNorm2d(b), nn.ReLU())


class SmallUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2, self.mid = block(1, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.u2, self.u1 = block(6 * w, 2 * w), block(3 * w, w)
        self.head = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        c = self.u2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        c = self.u1(torch.cat([F.interpolate(c, scale_factor=2), a], 1))
        return self.head(c)


class DiceScore:
    """Running Dice over pixels, kept as plain sums."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.overlap = 0.0
        self.area = 0.0

    def add(self, logits, target):
        pred = (logits > 0).float()
        self.overlap += (pred * target).sum().item()
        self.area += pred.sum().item() + target.sum().item()

    def value(self):
        return 2 * self.overlap / max(self.area, 1.0)


def criterion(logits, target):
    p = logits.sigmoid()
    inter = (p * target).sum((1, 2, 3))
    soft = 1 - (2 * inter + 1) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + 1)
    return F.binary_cross_entropy_with_logits(logits, target) + 0.5 * soft.mean()


class Experiment:
    def __init__(self, args):
        self.args = args
        self.model = SmallUNet()
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=args.lr, weight_decay=1e-3)
        self.dice = DiceScore()

    def fit_epoch(self, loader):
        self.model.train()
        losses = []
        for x, y in loader:
            if torch.rand(()) < 0.5:
                x, y = x.flip(-1), y.flip(-1)
            loss = criterion(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    @torch.no_grad()
    def score(self, loader):
        self.model.eval()
        for x, y in loader:
            self.dice.add(self.model(x), y)
        return self.dice.value()

    def run(self, train, valid):
        best, best_state, stale = -1.0, None, 0
        for epoch in range(self.args.epochs):
            loss = self.fit_epoch(train)
            val = self.score(valid)
            print(f"epoch {epoch + 1:2d} loss {loss:.4f} valid_dice {val:.4f}")
            if val > best:
                best, best_state, stale = val, copy.deepcopy(self.model.state_dict()), 0
            else:
                stale += 1
            if stale >= self.args.patience:
                break
        self.model.load_state_dict(best_state)
        return best


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--patience", type=int, default=5)
    ap.add_argument("--lr", type=float, default=4e-4)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    train = DataLoader(CellTiles(448, args.seed * 3 + 1), batch_size=32, shuffle=True)
    valid = DataLoader(CellTiles(240, args.seed * 3 + 2), batch_size=120)
    test = DataLoader(CellTiles(240, args.seed * 3 + 3), batch_size=120)
    exp = Experiment(args)
    best = exp.run(train, valid)
    print(f"best valid dice {best:.4f}  test dice {exp.score(test):.4f}")


if __name__ == "__main__":
    main()
