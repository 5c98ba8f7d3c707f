"""Classify short vibration waveforms, small micro-batches with gradient accumulation."""
import argparse
import math

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES = ["sine", "square", "saw", "chirp", "am", "burst"]


def synth(n, rng, length=128, noise=0.6):
    t = np.linspace(0, 1, length)
    xs, ys = [], []
    for _ in range(n):
        c = rng.integers(len(CLASSES))
        f = rng.uniform(4, 9)
        ph = rng.uniform(0, 2 * np.pi)
        arg = 2 * np.pi * f * t + ph
        if c == 0:
            w = np.sin(arg)
        elif c == 1:
            w = np.sign(np.sin(arg)) * 0.8
        elif c == 2:
            w = 1.3 * (((f * t + ph) % 1.0) * 2 - 1)
        elif c == 3:
            w = np.sin(arg * (0.5 + t))
        elif c == 4:
            w = np.sin(arg * 2) * (0.6 + 0.6 * np.sin(2 * np.pi * 2 * t))
        else:
            centre = rng.uniform(0.25, 0.75)
            w = 2.0 * np.sin(arg * 2) * np.exp(-((t - centre) / 0.12) ** 2)
        xs.append(w + noise * rng.standard_normal(length))
        ys.append(c)
    return (torch.tensor(np.array(xs), dtype=torch.float32)[:, None],
            torch.tensor(np.array(ys)))


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, 7, stride=2, padding=3)
        self.norm = nn.GroupNorm(4, cout)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class WaveNetlet(nn.Module):
    def __init__(self, width=16, classes=len(CLASSES)):
        super().__init__()
        self.body = nn.Sequential(Block(1, width), Block(width, 2 * width),
                                  Block(2 * width, 2 * width))
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x):
        h = self.body(x)
        return self.head(h.mean(-1))


def cosine_with_warmup(optimizer, warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / max(1, total - warmup))))
    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


def evaluate(accelerator, model, loader, criterion):
    model.eval()
    right = seen = 0
    loss_sum = 0.0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            out, y = accelerator.gather_for_metrics((out, y))
            loss_sum += criterion(out, y).item() * len(y)
            right += (out.argmax(-1) == y).sum().item()
            seen += len(y)
    model.train()
    return right / seen, loss_sum / seen


def main(args):
    set_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    train = TensorDataset(*synth(args.n_train, rng))
    test = TensorDataset(*synth(1000, rng))

    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accum)
    train_loader = DataLoader(train, args.micro_batch, shuffle=True, drop_last=True)
    test_loader = DataLoader(test, 250)
    model = WaveNetlet()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
    updates = args.epochs * math.ceil(len(train_loader) / args.accum)
    model, optimizer, train_loader, test_loader = accelerator.prepare(
        model, optimizer, train_loader, test_loader)
    scheduler = cosine_with_warmup(optimizer, warmup=updates // 20, total=updates)

    for epoch in range(args.epochs):
        running = 0.0
        for x, y in train_loader:
            with accelerator.accumulate(model):
                out = model(x)
                loss = criterion(out, y) / args.accum
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                if accelerator.sync_gradients:
                    scheduler.step()
                optimizer.zero_grad()
            running += loss.item()
        acc, vloss = evaluate(accelerator, model, test_loader, criterion)
        accelerator.print(f"epoch {epoch} train {running / len(train_loader):.4f} "
                          f"test loss {vloss:.4f} acc {acc:.3f}")
    accelerator.print(f"final test accuracy {acc:.4f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--n-train", type=int, default=4000)
    p.add_argument("--micro-batch", type=int, default=8)
    p.add_argument("--accum", type=int, default=16)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=0.1)
    main(p.parse_args())
