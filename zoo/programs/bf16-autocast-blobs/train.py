import logging
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from engine import Trainer

SIZE = 24


class ShapesDataset(Dataset):
    """Noisy images with one bright ellipse (foreground) and one bright line (distractor)."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[0:SIZE, 0:SIZE]
        self.images = np.empty((n, 1, SIZE, SIZE), dtype=np.float32)
        self.masks = np.empty((n, 1, SIZE, SIZE), dtype=np.float32)
        for i in range(n):
            cy, cx = rng.uniform(6, SIZE - 6, size=2)
            ry, rx = rng.uniform(3, 6, size=2)
            mask = ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 <= 1.0
            img = rng.normal(0.0, 0.45, (SIZE, SIZE)) + 0.9 * mask
            row = rng.integers(0, SIZE)
            if rng.random() < 0.5:
                img[row] += 1.0
            else:
                img[:, row] += 1.0
            self.images[i, 0] = img
            self.masks[i, 0] = mask
        self.images -= self.images.mean(axis=(1, 2, 3), keepdims=True)
        self.images /= self.images.std(axis=(1, 2, 3), keepdims=True)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]), torch.from_numpy(self.masks[i])


def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class MiniUNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.enc1 = block(1, width)
        self.enc2 = block(width, 2 * width)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.dec = block(2 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        skip = self.enc1(x)
        deep = self.enc2(self.pool(skip))
        return self.out(self.dec(torch.cat([self.up(deep), skip], dim=1)))


class BCEDiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth
        self.bce = nn.BCEWithLogitsLoss()

    def forward(self, logits, target):
        prob = torch.sigmoid(logits)
        inter = (prob * target).sum(dim=(1, 2, 3))
        denom = prob.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
        dice = 1 - (2 * inter + self.smooth) / (denom + self.smooth)
        return self.bce(logits, target) + dice.mean()


def main():
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s %(levelname)s %(message)s")
    torch.manual_seed(3)
    train_loader = DataLoader(ShapesDataset(320, seed=10), batch_size=8, shuffle=True)
    val_loader = DataLoader(ShapesDataset(96, seed=11), batch_size=32)
    test_loader = DataLoader(ShapesDataset(128, seed=12), batch_size=32)

    model = MiniUNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    trainer = Trainer(model, optimizer, BCEDiceLoss(), train_loader, val_loader, use_amp=True)
    trainer.fit(epochs=5)
    logging.info("best val IoU %.4f", trainer.best_iou)
    logging.info("test IoU %.4f", trainer.evaluate(test_loader))


if __name__ == "__main__":
    main()
