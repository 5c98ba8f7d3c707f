"""Five-point landmark regression on small rendered faces."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIZE = 32
POINTS = ["left_eye", "right_eye", "nose", "left_mouth", "right_mouth"]
TEMPLATE = np.array([[-0.45, -0.40], [0.45, -0.40], [0.0, 0.05], [-0.32, 0.50], [0.32, 0.50]])


def render(rng):
    angle = rng.normal(0, 0.18)
    scale = rng.uniform(0.55, 0.8)
    shift = rng.uniform(-0.18, 0.18, 2)
    c, s = np.cos(angle), np.sin(angle)
    shape = TEMPLATE + rng.normal(0, 0.035, TEMPLATE.shape)
    pts = shape @ np.array([[c, s], [-s, c]]) * scale + shift
    grid = np.linspace(-1, 1, SIZE)
    gx, gy = np.meshgrid(grid, grid)
    img = 0.35 * np.exp(-(((gx - shift[0]) ** 2 + (gy - shift[1]) ** 2) / (2 * (0.6 * scale) ** 2)))
    widths = [0.085, 0.085, 0.06, 0.07, 0.07]
    gains = [0.9, 0.9, 0.5, 0.6, 0.6]
    for (px, py), w, g in zip(pts, widths, gains):
        img += g * np.exp(-((gx - px) ** 2 + (gy - py) ** 2) / (2 * w**2))
    img += rng.normal(0, 0.08, img.shape)
    return img.astype(np.float32), pts.astype(np.float32)


class Faces(Dataset):
    def __init__(self, n, seed, augment):
        rng = np.random.default_rng(seed)
        items = [render(rng) for _ in range(n)]
        self.images = torch.tensor(np.stack([a for a, _ in items]))[:, None]
        self.points = torch.tensor(np.stack([b for _, b in items]))
        self.mean, self.std = 0.2, 0.25
        self.augment = augment

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img, pts = self.images[i], self.points[i].clone()
        if self.augment:
            if torch.rand(()) < 0.4:
                img = img.flip(-1)
                pts[:, 0] = -pts[:, 0]
            img = img * (0.85 + 0.3 * torch.rand(()))
        return (img - self.mean) / self.std, pts.flatten()


class LandmarkNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(32 * 8 * 8, 96), nn.ReLU(), nn.Linear(96, 10))

    def forward(self, x):
        return self.head(self.features(x))


@torch.no_grad()
def pixel_error(model, loader):
    model.eval()
    total, count = torch.zeros(5), 0
    for x, y in loader:
        d = (model(x) - y).view(-1, 5, 2).norm(dim=-1) * (SIZE - 1) / 2
        total += d.sum(0)
        count += len(x)
    return total / count


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    train = DataLoader(Faces(2400, 1, augment=True), batch_size=48, shuffle=True, drop_last=True)
    test = DataLoader(Faces(600, 2, augment=False), batch_size=200)
    model = LandmarkNet()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.epochs * len(train))
    loss_fn = nn.SmoothL1Loss(beta=0.1)
    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for x, y in train:
            loss = loss_fn(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        err = pixel_error(model, test)
        print(f"epoch {epoch} loss {running / len(train):.4f} test error {err.mean():.2f} px")
    for name, e in zip(POINTS, pixel_error(model, test)):
        print(f"  {name:12s} {e:.2f} px")
    print(f"held-out mean error: {pixel_error(model, test).mean():.3f} px")


if __name__ == "__main__":
    main()
