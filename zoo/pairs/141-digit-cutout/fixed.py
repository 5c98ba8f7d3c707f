import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit
from torch.utils.data import DataLoader, Dataset


class Cutout:
    """Blanks a random square, as in DeVries & Taylor."""

    def __init__(self, size=3, p=0.8):
        self.size = size
        self.p = p

    def __call__(self, img):
        if random.random() > self.p:
            return img
        h, w = img.shape
        top = random.randint(0, h - self.size)
        left = random.randint(0, w - self.size)
        img[top:top + self.size, left:left + self.size] = 0.0
        return img


class Shift:
    def __init__(self, pixels=1):
        self.pixels = pixels

    def __call__(self, img):
        dy = random.randint(-self.pixels, self.pixels)
        dx = random.randint(-self.pixels, self.pixels)
        return np.roll(img, (dy, dx), axis=(0, 1))


class Pipeline:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, img):
        for step in self.steps:
            img = step(img)
        return img


class DigitImages(Dataset):
    def __init__(self, images, targets, transform=None):
        self.images = images.astype(np.float32) / 16.0
        self.targets = targets
        self.transform = transform

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        img = self.images[i].copy()
        if self.transform is not None:
            img = self.transform(img)
        return torch.as_tensor(img).unsqueeze(0), int(self.targets[i])


class SmallResNet(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.stem = nn.Conv2d(1, ch, 3, padding=1)
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(ch)
        self.conv2 = nn.Conv2d(ch, 2 * ch, 3, stride=2, padding=1)
        self.bn2 = nn.BatchNorm2d(2 * ch)
        self.fc = nn.Linear(2 * ch * 16, 10)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        return self.fc(x.flatten(1))


def accuracy(model, loader):
    model.eval()
    ok = n = 0
    with torch.inference_mode():
        for x, y in loader:
            ok += (model(x).argmax(1) == y).sum().item()
            n += y.numel()
    return ok / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--lr", type=float, default=0.05)
    args = ap.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    bunch = load_digits()
    split = StratifiedShuffleSplit(1, test_size=0.3, random_state=args.seed)
    tr, te = next(split.split(bunch.images, bunch.target))
    augment = Pipeline(Cutout(3), Shift(1))
    train_set = DigitImages(bunch.images[tr], bunch.target[tr], augment)
    test_set = DigitImages(bunch.images[te], bunch.target[te])
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=256)

    model = SmallResNet()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=args.lr, epochs=args.epochs, steps_per_epoch=len(train_loader))

    for epoch in range(args.epochs):
        model.train()
        seen, loss_sum = 0, 0.0
        for x, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            seen += len(y)
            loss_sum += loss.item() * len(y)
        if epoch % 5 == 4:
            print(f"[{epoch + 1:02d}/{args.epochs}] loss {loss_sum / seen:.4f} "
                  f"test acc {accuracy(model, test_loader):.4f}")
    print("final test accuracy %.4f" % accuracy(model, test_loader))


if __name__ == "__main__":
    main()
