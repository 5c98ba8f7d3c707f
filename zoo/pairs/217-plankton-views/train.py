"""Several noisy shots of the same specimen -> one label. Shots share a CNN, their embeddings are averaged."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


@dataclass
class Settings:
    views: int = 4
    micro_batch: int = 16
    accumulate: int = 2
    epochs: int = 9
    lr: float = 3e-3
    noise: float = 0.15
    seed: int = 9


class Specimens(Dataset):
    """Each item is (views, 1, 8, 8): the same drawing, every shot with its own shift, noise and hidden patch."""

    def __init__(self, images, labels, settings, seed):
        self.images, self.labels = images, labels
        self.s = settings
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.labels)

    def shot(self, img):
        dy, dx = self.rng.integers(-1, 2, size=2)
        img = np.roll(img, (dy, dx), axis=(0, 1)).copy()
        top, left = self.rng.integers(0, 6, size=2)
        img[top:top + 3, left:left + 3] = 0.0
        return img + self.rng.normal(0, self.s.noise, img.shape)

    def __getitem__(self, i):
        shots = np.stack([self.shot(self.images[i]) for _ in range(self.s.views)])
        return torch.tensor(shots[:, None], dtype=torch.float32), int(self.labels[i])


class ShotEncoder(nn.Module):
    def __init__(self, width=24, dim=64):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.GroupNorm(4, width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1), nn.GroupNorm(4, width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.GroupNorm(4, 2 * width), nn.ReLU())
        self.proj = nn.Linear(2 * width * 16, dim)

    def forward(self, x):
        return self.proj(self.conv(x).flatten(1))


class MultiShotNet(nn.Module):
    def __init__(self, n_classes=10, dim=64):
        super().__init__()
        self.encoder = ShotEncoder(dim=dim)
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.GELU(), nn.Linear(dim, n_classes))

    def forward(self, shots):
        b, v = shots.shape[:2]
        z = self.encoder(shots.flatten(0, 1))
        z = z.view(v, b, -1).mean(0)
        return self.head(z)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    total = right = 0
    nll = 0.0
    for shots, y in loader:
        logits = model(shots)
        nll += F.cross_entropy(logits, y, reduction="sum").item()
        right += (logits.argmax(1) == y).sum().item()
        total += len(y)
    model.train()
    return nll / total, right / total


def main():
    s = Settings()
    torch.manual_seed(s.seed)
    digits = load_digits()
    images, labels = digits.images / 16.0, digits.target
    order = np.random.default_rng(s.seed).permutation(len(labels))
    train_idx, test_idx = order[:1408], order[1408:]
    train = DataLoader(Specimens(images[train_idx], labels[train_idx], s, 1), s.micro_batch, shuffle=True, drop_last=True)
    test = DataLoader(Specimens(images[test_idx], labels[test_idx], s, 2), 64)

    model = MultiShotNet()
    opt = torch.optim.AdamW(model.parameters(), lr=s.lr, weight_decay=1e-3)
    updates = s.epochs * (len(train) // s.accumulate)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, updates)
    for epoch in range(s.epochs):
        running, seen = 0.0, 0
        opt.zero_grad()
        for i, (shots, y) in enumerate(train):
            loss = F.cross_entropy(model(shots), y)
            (loss / s.accumulate).backward()
            running, seen = running + loss.item(), seen + 1
            if (i + 1) % s.accumulate == 0:
                nn.utils.clip_grad_norm_(model.parameters(), 2.0)
                opt.step()
                opt.zero_grad()
                sched.step()
        nll, acc = evaluate(model, test)
        print(f"epoch {epoch} train loss {running / seen:.4f} test nll {nll:.4f} acc {acc:.4f}", flush=True)
    nll, acc = evaluate(model, test)
    print(f"final test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
