"""Small CNN on the 8x8 digits with offline shift augmentation of a small training set."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=25)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--copies", type=int, default=2, help="shifted copies per image")
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def random_shift(img, rng, max_shift=1):
    """Translate one 8x8 image, filling the border with background."""
    dy, dx = rng.integers(-max_shift, max_shift + 1, size=2)
    padded = np.pad(img, max_shift)
    y0, x0 = max_shift + dy, max_shift + dx
    return padded[y0:y0 + img.shape[0], x0:x0 + img.shape[1]]


def expand(images, labels, copies, rng):
    """Returns the originals followed by `copies` randomly shifted versions of each image."""
    out = [images]
    for _ in range(copies):
        out.append(np.stack([random_shift(im, rng) for im in images]))
    x = np.concatenate(out)
    y = np.tile(labels, copies + 1)
    return x, y


class Net(nn.Module):
    def __init__(self, width=24, n_classes=10):
        super().__init__()
        self.c1 = nn.Conv2d(1, width, 3, padding=1)
        self.b1 = nn.BatchNorm2d(width)
        self.c2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.b2 = nn.BatchNorm2d(2 * width)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(2 * width * 4, n_classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b1(self.c1(x))), 2)
        x = F.max_pool2d(F.relu(self.b2(self.c2(x))), 2)
        return self.fc(self.drop(x.flatten(1)))


def to_tensor(x):
    return torch.from_numpy(x.astype(np.float32)).unsqueeze(1) / 16.0


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    digits = load_digits()
    xtr, xte, ytr, yte = train_test_split(
        digits.images, digits.target, test_size=0.4, stratify=digits.target, random_state=args.seed)
    xtr, ytr = expand(xtr, ytr, args.copies, rng)
    xtr, xte = to_tensor(xtr), to_tensor(xte)
    ytr, yte = torch.from_numpy(ytr), torch.from_numpy(yte)
    print(f"train {len(xtr)}  test {len(xte)}")

    model = Net()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    steps = args.epochs * (len(xtr) // args.batch_size)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=steps)

    for epoch in range(args.epochs):
        model.train()
        order = torch.randperm(len(xtr))
        total, n = 0.0, 0
        for i in range(len(xtr) // args.batch_size):
            idx = order[i * args.batch_size:(i + 1) * args.batch_size]
            loss = F.cross_entropy(model(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(idx)
            n += len(idx)
        print(f"epoch {epoch + 1:2d}  loss {total / n:.4f}  test acc {accuracy(model, xte, yte):.4f}")

    print(f"final test accuracy {accuracy(model, xte, yte):.4f}")


if __name__ == "__main__":
    main()
