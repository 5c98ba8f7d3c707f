import argparse
import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


class ModelEma:
    """Exponential moving average of parameters; buffers are copied over."""

    def __init__(self, model, decay=0.99, warmup=True):
        self.module = copy.deepcopy(model).eval()
        for p in self.module.parameters():
            p.requires_grad_(False)
        self.decay = decay
        self.warmup = warmup
        self.num_updates = 0

    @torch.no_grad()
    def update(self, model):
        self.num_updates += 1
        d = self.decay
        if self.warmup:
            d = min(d, (1 + self.num_updates) / (10 + self.num_updates))
        for ema_p, p in zip(self.module.parameters(), model.parameters()):
            ema_p.lerp_(p, 1 - d)
        for ema_b, b in zip(self.module.buffers(), model.buffers()):
            ema_b.copy_(b)


def spirals(n_per_arm, arms=3, noise=0.3, generator=None):
    xs, ys = [], []
    for k in range(arms):
        t = torch.rand(n_per_arm, generator=generator).sqrt()
        angle = 4.0 * t + 2 * math.pi * k / arms
        pts = torch.stack([t * torch.cos(angle), t * torch.sin(angle)], dim=1) * 3
        xs.append(pts + noise * torch.randn(n_per_arm, 2, generator=generator))
        ys.append(torch.full((n_per_arm,), k))
    return torch.cat(xs), torch.cat(ys)


def batches(x, y, batch_size):
    perm = torch.randperm(len(x))
    for chunk in perm.split(batch_size):
        if len(chunk) == batch_size:
            yield x[chunk], y[chunk]


@torch.inference_mode()
def accuracy(model, x, y):
    was_training = model.training
    model.eval()
    acc = (model(x).argmax(-1) == y).float().mean().item()
    model.train(was_training)
    return acc


def main():
    parser = argparse.ArgumentParser(description="EMA of weights next to the raw model")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=40)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--ema-decay", type=float, default=0.98)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    g = torch.Generator().manual_seed(args.seed)
    x_train, y_train = spirals(300, generator=g)
    x_test, y_test = spirals(700, generator=g)
    mean, std = x_train.mean(0, keepdim=True), x_train.std(0, keepdim=True)
    x_train = (x_train - mean) / std
    x_test = (x_test - mean) / std

    model = nn.Sequential(
        nn.Linear(2, 64), nn.BatchNorm1d(64), nn.ReLU(),
        nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(),
        nn.Linear(64, 3),
    )
    ema = ModelEma(model, decay=args.ema_decay)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        model.train()
        for xb, yb in batches(x_train, y_train, args.batch_size):
            loss = F.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update(model)
        if (epoch + 1) % 5 == 0:
            print(f"[{epoch + 1:02d}/{args.epochs}] loss={loss.item():.3f} train_acc={accuracy(model, x_train, y_train):.3f}")

    raw = accuracy(model, x_test, y_test)
    avg = accuracy(ema.module, x_test, y_test)
    print(f"raw weights : {raw:.4f}")
    print(f"EMA weights : {avg:.4f}")


if __name__ == "__main__":
    main()
