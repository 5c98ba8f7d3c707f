"""Segment a bright organ in small synthetic scans taken on scanners with different gain and offset."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SIZE = 32


def make_scan(rng):
    yy, xx = np.mgrid[:SIZE, :SIZE]
    image = rng.normal(0, 0.25, (SIZE, SIZE))
    mask = np.zeros((SIZE, SIZE), dtype=bool)
    for kind in ("organ", "fat", "fat"):
        cy, cx = rng.uniform(7, SIZE - 7, 2)
        a, b = rng.uniform(3, 7, 2)
        angle = rng.uniform(0, np.pi)
        u = (yy - cy) * np.cos(angle) + (xx - cx) * np.sin(angle)
        v = (xx - cx) * np.cos(angle) - (yy - cy) * np.sin(angle)
        inside = (u / a) ** 2 + (v / b) ** 2 < 1
        if kind == "organ":
            organ = inside
        else:
            image[inside] += 0.55
    image[organ] = rng.normal(1.3, 0.3, organ.sum())
    mask |= organ
    gain, offset = rng.uniform(20, 45), rng.uniform(40, 110)
    return np.clip(image * gain + offset, 0, 255).astype(np.uint8), mask


def standardise(scan):
    scan = scan.astype(np.float32)
    return (scan - scan.mean()) / (scan.std() + 1e-6)


class Scans(Dataset):
    def __init__(self, n, seed, augment=False):
        rng = np.random.default_rng(seed)
        self.items = [make_scan(rng) for _ in range(n)]
        self.augment = augment

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        scan, mask = self.items[i]
        scan = torch.from_numpy(standardise(scan))
        mask = torch.from_numpy(mask.astype(np.float32))
        if self.augment and torch.rand(()) < 0.5:
            scan, mask = scan.flip(-1), mask.flip(-1)
        return scan.unsqueeze(0), mask.unsqueeze(0)


def block(n_in, n_out):
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 3, padding=1, bias=False), nn.BatchNorm2d(n_out), nn.ReLU(),
        nn.Conv2d(n_out, n_out, 3, padding=1, bias=False), nn.BatchNorm2d(n_out), nn.ReLU(),
    )


class UNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down1, self.down2 = block(1, width), block(width, 2 * width)
        self.middle = block(2 * width, 4 * width)
        self.up2, self.up1 = block(6 * width, 2 * width), block(3 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.middle(F.max_pool2d(b, 2))
        b = self.up2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        a = self.up1(torch.cat([F.interpolate(b, scale_factor=2), a], 1))
        return self.out(a)


def soft_dice(logits, mask):
    prob = logits.sigmoid()
    overlap = (prob * mask).sum((1, 2, 3))
    return 1 - ((2 * overlap + 1) / (prob.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)).mean()


class Predictor:
    """Takes raw 8-bit scans, returns boolean masks."""

    def __init__(self, model):
        self.model = model.eval()

    @torch.no_grad()
    def __call__(self, scans):
        batch = np.stack([standardise(s) for s in scans])
        return self.model(torch.from_numpy(batch).unsqueeze(1)).squeeze(1).numpy() > 0


def dice_score(model, items, chunk=50):
    predict, scores = Predictor(model), []
    for start in range(0, len(items), chunk):
        scans, masks = zip(*items[start : start + chunk])
        for guess, mask in zip(predict(scans), masks):
            scores.append((2 * (guess & mask).sum() + 1) / (guess.sum() + mask.sum() + 1))
    return float(np.mean(scores))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--seed", type=int, default=4)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    train, val = Scans(400, 1, augment=True), Scans(150, 2)
    loader = DataLoader(train, batch_size=args.batch, shuffle=True, drop_last=True)
    model = UNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for scan, mask in loader:
            logits = model(scan)
            loss = F.binary_cross_entropy_with_logits(logits, mask) + soft_dice(logits, mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        print(f"epoch {epoch + 1} loss {total / len(loader):.4f} val dice {dice_score(model, val.items):.4f}")
    print(f"final val dice {dice_score(model, val.items):.4f}")


if __name__ == "__main__":
    main()
