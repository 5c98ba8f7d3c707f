"""Residual CNN on noisy 8x8 digits; an exponential moving average of the weights is evaluated."""
import argparse
import copy

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x):
        h = F.relu(self.bn1(self.conv1(x)))
        return F.relu(x + self.bn2(self.conv2(h)))


class DigitNet(nn.Module):
    def __init__(self, width=24, n_classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        self.stages = nn.Sequential(Residual(width), nn.MaxPool2d(2), Residual(width), Residual(width))
        self.head = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.head(self.stages(self.stem(x)).mean((2, 3)))


class WeightAverage:
    """Keeps a smoothed copy of a model; the decay ramps up at the start of training."""

    def __init__(self, model, decay=0.99):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay
        self.updates = 0

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for avg, cur in zip(self.model.parameters(), model.parameters()):
            avg.lerp_(cur, 1 - d)


def load_data(noise, seed):
    x, y = load_digits(return_X_y=True)
    x = x.reshape(-1, 1, 8, 8).astype(np.float32) / 16.0
    x = 0.5 * x + noise * np.random.default_rng(seed).normal(size=x.shape).astype(np.float32) + 0.6
    parts = train_test_split(x, y, test_size=0.25, stratify=y, random_state=seed)
    return [torch.as_tensor(p) for p in parts]


def shift(x):
    """Random translation by up to one pixel."""
    x = F.pad(x, (1, 1, 1, 1), mode="replicate")
    i, j = torch.randint(0, 3, (2,)).tolist()
    return x[:, :, i:i + 8, j:j + 8]


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--noise", type=float, default=0.08)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    x_train, x_val, y_train, y_val = load_data(args.noise, args.seed)
    model = DigitNet()
    average = WeightAverage(model)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    n_batches = len(x_train) // args.batch_size
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.epochs * n_batches)

    for epoch in range(args.epochs):
        model.train()
        order = torch.randperm(len(x_train))
        running = 0.0
        for b in range(n_batches):
            idx = order[b * args.batch_size:(b + 1) * args.batch_size]
            logits = model(shift(x_train[idx]))
            loss = F.cross_entropy(logits, y_train[idx], label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            average.update(model)
            running += loss.item()
        print(f"epoch {epoch:2d} loss {running / n_batches:.4f} val acc {accuracy(average.model, x_val, y_val):.4f}")

    print(f"final val accuracy {accuracy(average.model, x_val, y_val):.4f}")


if __name__ == "__main__":
    main()
