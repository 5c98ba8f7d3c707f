"""SimCLR-style pretraining on digits pasted on a shaded canvas; kNN evaluation."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.utils.data import DataLoader, Dataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--dim", type=int, default=32)
    p.add_argument("--temperature", type=float, default=0.2)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


class Augment:
    """Random position on a 11x11 canvas, random contrast, background gradient, noise and erased pixels."""

    def __call__(self, img, rng):
        canvas = np.zeros((11, 11), dtype=np.float32)
        i, j = rng.integers(0, 4, 2)
        canvas[i:i + 8, j:j + 8] = img * rng.uniform(0.8, 1.2)
        a, b, c = rng.uniform(-1, 1, 3)
        grid = np.linspace(-1, 1, 11, dtype=np.float32)
        canvas += 0.4 * (a * grid[:, None] + b * grid[None, :] + c)
        canvas += 0.05 * rng.normal(size=canvas.shape)
        canvas[rng.random(canvas.shape) < 0.03] = 0
        return canvas.astype(np.float32)


class TwoViews(Dataset):
    def __init__(self, images, augment, seed):
        self.images, self.augment, self.seed = images, augment, seed
        self.epoch = 0

    def __len__(self):
        return len(self.images)

    def view(self, i, k):
        rng = np.random.default_rng((self.seed, self.epoch, i, k))
        return torch.from_numpy(self.augment(self.images[i], rng)).unsqueeze(0)

    def __getitem__(self, i):
        return self.view(i, 0), self.view(i, 1)


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.BatchNorm2d(48), nn.ReLU(),
            nn.Conv2d(48, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
            nn.AdaptiveMaxPool2d(2), nn.Flatten(),
        )
        self.projector = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, dim))

    def forward(self, x):
        return F.normalize(self.projector(self.features(x)), dim=-1)


def nt_xent(z1, z2, temperature):
    z = torch.cat([z1, z2])
    n = len(z1)
    sim = z @ z.T / temperature
    sim.fill_diagonal_(-1e9)
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])
    return F.cross_entropy(sim, target)


@torch.no_grad()
def knn_score(encoder, x_train, y_train, x_val, y_val):
    encoder.eval()
    f_train = F.normalize(encoder.features(x_train), dim=-1).numpy()
    f_val = F.normalize(encoder.features(x_val), dim=-1).numpy()
    return KNeighborsClassifier(5).fit(f_train, y_train).score(f_val, y_val)


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).reshape(-1, 8, 8).astype(np.float32)
    order = np.random.default_rng(args.seed).permutation(len(images))
    images, labels = images[order], labels[order]
    augment = Augment()
    train_set = TwoViews(images[:1400], augment, seed=100)
    loader = DataLoader(train_set, args.batch_size, shuffle=True, drop_last=True)

    rng = np.random.default_rng(999)
    fixed = torch.from_numpy(np.stack([augment(im, rng) for im in images])).unsqueeze(1)
    split = fixed[:1400], labels[:1400], fixed[1400:], labels[1400:]

    encoder = Encoder(args.dim)
    opt = torch.optim.AdamW(encoder.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    print(f"untrained knn accuracy {knn_score(encoder, *split):.4f}")
    for epoch in range(args.epochs):
        encoder.train()
        train_set.epoch = epoch
        total = 0.0
        for v1, v2 in loader:
            loss = nt_xent(encoder(v1), encoder(v2), args.temperature)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        if epoch % 4 == 0:
            print(f"epoch {epoch:2d} loss {total / len(loader):.4f} knn {knn_score(encoder, *split):.4f}")
    print(f"final val knn accuracy {knn_score(encoder, *split):.4f}")


if __name__ == "__main__":
    main()
