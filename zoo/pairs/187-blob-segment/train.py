"""Small U-Net that segments bright blobs; hand-written BCE + soft Dice objective."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--n-train", type=int, default=320)
    p.add_argument("--n-val", type=int, default=80)
    p.add_argument("--size", type=int, default=32)
    p.add_argument("--width", type=int, default=12)
    p.add_argument("--epochs", type=int, default=24)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--lr", type=float, default=1.9e-3)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


class Blobs(Dataset):
    """Grey images with a shaded background, elliptical blobs (foreground) and thin scratches (distractors)."""

    def __init__(self, n, size, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:size, :size] / size
        self.x = np.zeros((n, 1, size, size), dtype=np.float32)
        self.y = np.zeros_like(self.x)
        for i in range(n):
            img = 0.3 * rng.random() * xx + 0.3 * rng.random() * yy
            mask = np.zeros((size, size), dtype=bool)
            for _ in range(rng.integers(1, 4)):
                cx, cy = rng.uniform(0.2, 0.8, 2)
                rx, ry = rng.uniform(0.08, 0.2, 2)
                mask |= ((xx - cx) / rx) ** 2 + ((yy - cy) / ry) ** 2 < 1
            img = img + 0.9 * mask
            img[rng.integers(0, size)] += 0.5
            img[:, rng.integers(0, size)] += 0.5
            self.x[i, 0] = img + 0.08 * rng.normal(size=img.shape)
            self.y[i, 0] = mask
        self.x = (self.x - 0.4) / 0.4

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def double_conv(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1), nn.GroupNorm(4, c_out), nn.ReLU(),
                         nn.Conv2d(c_out, c_out, 3, padding=1), nn.GroupNorm(4, c_out), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.enc1, self.enc2, self.mid = double_conv(1, w), double_conv(w, 2 * w), double_conv(2 * w, 2 * w)
        self.dec2, self.dec1 = double_conv(4 * w, w), double_conv(2 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        d = self.dec2(torch.cat([F.interpolate(m, scale_factor=2.0), b], 1))
        return self.out(self.dec1(torch.cat([F.interpolate(d, scale_factor=2.0), a], 1)))


def bce(logits, target):
    p = torch.sigmoid(logits)
    return -(target * torch.log(p) + (1 - target) * torch.log(1 - p)).mean()


def soft_dice(logits, target, eps=1.0):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((1, 2, 3))
    return (1 - (2 * inter + eps) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + eps)).mean()


@torch.no_grad()
def dice_score(model, loader):
    model.eval()
    scores = []
    for x, y in loader:
        pred = (model(x) > 0).float()
        scores.append((2 * (pred * y).sum((1, 2, 3)) + 1) / (pred.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1))
    return torch.cat(scores).mean().item()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    train = DataLoader(Blobs(args.n_train, args.size, args.seed), args.batch_size, shuffle=True)
    val = DataLoader(Blobs(args.n_val, args.size, args.seed + 1), args.batch_size)
    model = UNet(args.width)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            logits = model(x)
            loss = bce(logits, y) + 0.5 * soft_dice(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        if epoch % 2 == 1:
            print(f"epoch {epoch:2d} loss {total / len(train):.4f} val dice {dice_score(model, val):.4f}")
    print(f"final val dice {dice_score(model, val):.4f}")


if __name__ == "__main__":
    main()
