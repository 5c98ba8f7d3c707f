"""Gesture recognition from three-axis traces; evaluation uses averaged weights."""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def make_traces(n, rng, length=64, classes=16):
    """Each gesture is a pair of frequencies and a phase relation between axes."""
    y = rng.integers(0, classes, n)
    t = np.linspace(0, 1, length)[None, :]
    f1 = 2.0 + (y % 4)[:, None] * 0.8
    f2 = 3.0 + (y // 4)[:, None] * 0.8
    speed = rng.uniform(0.95, 1.05, (n, 1))
    start = rng.uniform(0, 2 * math.pi, (n, 1))
    gain = rng.uniform(0.7, 1.3, (n, 1))
    a = gain * np.sin(2 * math.pi * f1 * speed * t + start)
    b = gain * np.cos(2 * math.pi * f2 * speed * t + start)
    c = a * b
    x = np.stack([a, b, c], axis=1) + rng.normal(0, 0.5, (n, 3, length))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class GestureNet(nn.Module):
    def __init__(self, classes=16, width=24):
        super().__init__()
        self.c1 = nn.Conv1d(3, width, 9, padding=4)
        self.c2 = nn.Conv1d(width, width, 9, padding=4)
        self.c3 = nn.Conv1d(width, 2 * width, 5, padding=2)
        self.n1, self.n2, self.n3 = nn.GroupNorm(4, width), nn.GroupNorm(4, width), nn.GroupNorm(4, 2 * width)
        self.out = nn.Linear(2 * width, classes)

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.n1(self.c1(x))), 2)
        x = F.max_pool1d(F.relu(self.n2(self.c2(x))), 2)
        x = F.relu(self.n3(self.c3(x)))
        return self.out(x.mean(-1))


class WeightAverage:
    """Exponential moving average of a model's parameters, swapped in for evaluation."""

    def __init__(self, model, decay):
        self.model = model
        self.decay = decay
        self.shadow = {k: p.detach().clone() for k, p in model.named_parameters()}
        self.kept = {}

    @torch.no_grad()
    def update(self):
        for k, p in self.model.named_parameters():
            self.shadow[k].lerp_(p, 1 - self.decay)

    @torch.no_grad()
    def __enter__(self):
        self.kept = {k: p.detach() for k, p in self.model.named_parameters()}
        for k, p in self.model.named_parameters():
            p.copy_(self.shadow[k])
        return self.model

    @torch.no_grad()
    def __exit__(self, *exc):
        for k, p in self.model.named_parameters():
            p.copy_(self.kept[k])
        self.kept = {}
        return False


def train_epoch(model, loader, opt, sched, average):
    model.train()
    seen, total = 0, 0.0
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        average.update()
        seen += len(y)
        total += loss.item() * len(y)
    return total / seen


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hit = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hit / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--decay", type=float, default=0.995)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    train = TensorDataset(*make_traces(2400, rng))
    valid = TensorDataset(*make_traces(600, rng))
    test = TensorDataset(*make_traces(1500, rng))
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, drop_last=True)
    valid_loader = DataLoader(valid, batch_size=300)
    test_loader = DataLoader(test, batch_size=300)

    model = GestureNet()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    total_steps = args.epochs * len(train_loader)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=total_steps)
    average = WeightAverage(model, args.decay)

    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, opt, sched, average)
        with average as smooth:
            acc = accuracy(smooth, valid_loader)
        print(f"epoch {epoch + 1:2d} train_loss {loss:.4f} valid_acc(avg) {acc:.4f} lr {sched.get_last_lr()[0]:.5f}")

    with average as smooth:
        print(f"test_acc(avg)={accuracy(smooth, test_loader):.4f}")


if __name__ == "__main__":
    main()
