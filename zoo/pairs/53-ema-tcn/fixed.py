"""Waveform-shape recognition with a small conv net; the averaged weights are what we ship."""
import os

import numpy as np
import torch
from torch import nn

from ema import ModelEma

SEED, EPOCHS, BATCH, LR = 9, 14, 32, 0.05


def waves(n, seed, flip=0.0):
    g = np.random.default_rng(seed)
    y = g.integers(0, 5, n)
    t = np.linspace(0, 1, 64)
    f, ph = g.uniform(2, 5, (n, 1)), g.uniform(0, 1, (n, 1))
    u = (f * t + ph) % 1.0
    shapes = np.stack([np.sin(2 * np.pi * u), np.sign(u - 0.5), 2 * u - 1, 1 - 4 * np.abs(u - 0.5), np.sin(2 * np.pi * u) ** 3 * 1.4])
    x = shapes[y, np.arange(n)] * g.uniform(0.6, 1.6, (n, 1)) + g.normal(0, 0.35, (n, 64)) + 0.8
    y = np.where(g.random(n) < flip, g.integers(0, 5, n), y)
    return torch.tensor(x[:, None], dtype=torch.float32), torch.tensor(y)


def conv_block(i, o, stride):
    return nn.Sequential(nn.Conv1d(i, o, 5, stride=stride, padding=2, bias=False), nn.BatchNorm1d(o), nn.ReLU())


def build():
    return nn.Sequential(conv_block(1, 24, 1), conv_block(24, 32, 2), conv_block(32, 32, 2), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(128, 5))


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


def train():
    torch.manual_seed(SEED)
    xtr, ytr = waves(2400, 1, flip=0.15)
    xva, yva = waves(600, 2)
    xte, yte = waves(1000, 3)
    m, s = xtr.mean(), xtr.std()
    xtr, xva, xte = (xtr - m) / s, (xva - m) / s, (xte - m) / s

    net = build()
    ema = ModelEma(net)
    opt = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9, weight_decay=5e-4)
    best = -1.0
    for epoch in range(EPOCHS):
        net.train()
        order = torch.randperm(len(xtr))
        total = 0.0
        for idx in order.split(BATCH):
            loss = nn.functional.cross_entropy(net(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.blend(ema.module.state_dict().values(), net.state_dict().values())
            total += loss.item() * len(idx)
        va = accuracy(ema.module, xva, yva)
        if va > best:
            best = va
            torch.save(ema.module.state_dict(), "best.pt")
        print(f"epoch {epoch + 1:2d}/{EPOCHS} train loss {total / len(xtr):.4f} val acc (ema) {va:.4f}")

    final = build()
    final.load_state_dict(torch.load("best.pt"))
    os.remove("best.pt")
    print(f"test accuracy of the shipped weights: {accuracy(final, xte, yte):.4f}")


train()
