"""Handwritten digits with a small residual network, trained through Accelerate."""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=22)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--accumulate", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--momentum", type=float, default=0.9)
    p.add_argument("--warmup", type=float, default=0.1, help="fraction of the updates")
    p.add_argument("--seed", type=int, default=9)
    return p.parse_args()


def loaders(batch_size, seed):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    x_tr, x_va, y_tr, y_va = train_test_split(x, y, test_size=0.3, random_state=seed, stratify=y)
    train = DataLoader(TensorDataset(x_tr, y_tr), batch_size, shuffle=True, drop_last=True)
    return train, DataLoader(TensorDataset(x_va, y_va), 256)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Conv2d(width, width, 3, padding=1)
        self.b = nn.Conv2d(width, width, 3, padding=1)
        self.scale = nn.Parameter(torch.full((1,), 0.2))

    def forward(self, x):
        return x + self.scale * self.b(F.relu(self.a(F.relu(x))))


class Net(nn.Module):
    def __init__(self, width=24, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.body = nn.Sequential(Residual(width), nn.MaxPool2d(2), Residual(width))
        self.head = nn.Linear(width * 16, classes)

    def forward(self, x):
        return self.head(F.relu(self.body(self.stem(x))).flatten(1))


def warmup_cosine(optimizer, updates, warmup_fraction):
    warmup = max(1, int(updates * warmup_fraction))

    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        progress = min(1.0, (step - warmup) / max(1, updates - warmup))
        return 0.5 * (1 + math.cos(math.pi * progress))

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


def count_updates(loader, args):
    per_epoch = math.ceil(len(loader) / args.accumulate)
    return per_epoch * args.epochs


@torch.no_grad()
def validate(accelerator, model, loader):
    model.eval()
    hits = total = 0
    for x, y in loader:
        guess, y = accelerator.gather_for_metrics((model(x).argmax(1), y))
        hits += (guess == y).sum().item()
        total += len(y)
    return hits / total


def main():
    args = parse()
    set_seed(args.seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accumulate)
    train, val = loaders(args.batch_size, args.seed)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=1e-4, nesterov=True)
    scheduler = warmup_cosine(optimizer, count_updates(train, args), args.warmup)
    model, optimizer, train, val, scheduler = accelerator.prepare(model, optimizer, train, val, scheduler)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            total += loss.item()
        accelerator.print(f"epoch {epoch + 1:2d} loss {total / len(train):.4f} val acc {validate(accelerator, model, val):.4f}")
    accelerator.print(f"final val acc {validate(accelerator, model, val):.4f}")


if __name__ == "__main__":
    main()
